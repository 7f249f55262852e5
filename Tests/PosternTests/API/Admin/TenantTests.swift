import Accounts
import Foundation
import HTTPAPI
import Project
import Storage
import Tenancy
import TestKit
import Testing
import Tokens

@testable import Server

@Suite("Tenants", .teardown, .timeLimit(.minutes(15)))
struct TenantTests {
    private let project: (FakeIDP) -> String = { _ in
        """
        config:
          multiTenant: {allowTenants: true}
          authorizedDomains: [localhost, app.example.com]
          signIn: {email: {enabled: true}}
        """
    }

    private static let defaults: JSONValue = [
        "allowPasswordSignup": false, "enableEmailLinkSignin": false, "enableAnonymousUser": false, "disableAuth": false,
        "mfaConfig": ["state": "DISABLED", "enabledProviders": []],
    ]

    private func create(_ server: TestServer, _ body: JSONValue) async throws -> String {
        let created = try await server.admin("POST", "/tenants", body)
        #expect(created.status == 200, "\(created.errorMessage ?? "")")
        return String(try #require(created["name"]?.string).split(separator: "/").last ?? "")
    }

    @Test("are made, changed, listed and removed with all that is theirs", arguments: Engine.allCases)
    func lifecycle(engine: Engine) async throws {
        let server = try await TestServer.start(project: project, on: engine)
        let id = try await create(server, ["displayName": "Acme-1", "name": "x", "tenantId": "y", "enableAnonymousUser": true])
        #expect(id.wholeMatch(of: /Acme-1-[a-z0-9]{5}/) != nil)
        let shown = try await server.admin("GET", "/tenants/\(id)")
        let name = JSONValue.string("projects/demo-test/tenants/\(id)")
        #expect(
            shown.json
                == Self.defaults.merging(["displayName": "Acme-1", "name": name, "enableAnonymousUser": true])
        )
        let user: JSONValue = ["tenantId": .string(id), "email": "a@example.com", "password": "secret-1"]
        #expect(try await server.call("signUp", user).errorMessage == "OPERATION_NOT_ALLOWED")
        let mask = "allowPasswordSignup,mfaConfig.state,testPhoneNumbers,smsRegionConfig,emailPrivacyConfig"
        let changed = try await server.admin(
            "PATCH",
            "/tenants/\(id)?updateMask=\(mask)",
            [
                "allowPasswordSignup": true, "mfaConfig": ["state": "ENABLED", "enabledProviders": ["PHONE_SMS"]],
                "testPhoneNumbers": ["+15555550100": "123456"], "displayName": "ignored",
                "smsRegionConfig": ["allowByDefault": ["disallowedRegions": ["US"]]], "emailPrivacyConfig": [:],
            ]
        )
        #expect(
            changed.json
                == shown.json.merging([
                    "allowPasswordSignup": true, "mfaConfig": ["state": "ENABLED", "enabledProviders": []],
                    "testPhoneNumbers": ["+15555550100": "123456"], "emailPrivacyConfig": [:],
                    "smsRegionConfig": ["allowByDefault": ["disallowedRegions": ["US"]]],
                ])
        )
        // The change applies at once.
        let session = try server.session(try await server.call("signUp", user))
        let provider: JSONValue = ["clientId": "c", "issuer": "https://issuer.example"]
        _ = try await server.admin("POST", "/tenants/\(id)/oauthIdpConfigs?oauthIdpConfigId=oidc.t", provider)
        let disabled = try await server.admin("PATCH", "/tenants/\(id)?updateMask=disableAuth", ["disableAuth": true])
        #expect(disabled["disableAuth"] == true)
        #expect(try await server.call("signUp", ["tenantId": .string(id)]).errorMessage == "PROJECT_DISABLED")
        // Administrators still see it.
        #expect(try await server.admin("GET", "/tenants/\(id)").status == 200)

        let other = try await create(server, ["displayName": "other"])
        let deleted = try await server.admin("DELETE", "/tenants/\(id)", [:])
        #expect(deleted.status == 200)
        #expect(deleted.json == [:])
        for method in ["GET", "PATCH", "DELETE"] {
            let gone = try await server.admin(method, "/tenants/\(id)", method == "PATCH" ? [:] : nil)
            #expect(gone.status == 404)
            #expect(gone.errorMessage == "TENANT_NOT_FOUND")
        }
        #expect(try await server.call("signUp", user).errorMessage == "INVALID_TENANT_ID")
        #expect(try await server.call("lookup", session.token).status == 400)
        #expect(try await server.refresh(session.refreshToken).status == 400)
        let left = try await server.core.database.read { transaction in
            try ["accounts", "sessions", "resources", "oob_codes"].flatMap { table in
                try transaction.query("SELECT tenant_id FROM \(raw: table) WHERE tenant_id = \(id)")
            }.count
        }
        #expect(left == 0)
        #expect(try await server.admin("GET", "/tenants/\(other)").status == 200)
        #expect(try await server.auditDetails("configDeleted").contains { $0["resource"] == name })
    }

    @Test("inherit from the project what the contract says, and no more")
    func inheritance() async throws {
        let server = try await TestServer.start(project: project)
        let id = try await create(server, ["displayName": "tenant", "allowPasswordSignup": true])
        let scope = Scope(projectID: "demo-test", tenantID: id)
        var found = try await policy(server, scope)
        #expect(found.authorizedDomains == ["localhost", "app.example.com"])
        #expect(found.hidesAccounts)
        #expect(!found.allowsAnonymous)
        func patch(_ path: String, _ body: JSONValue) async throws {
            #expect(try await server.admin("PATCH", path, body).status == 200)
        }
        let off: JSONValue = ["emailPrivacyConfig": ["enableImprovedEmailPrivacy": false]]
        try await patch("/config?updateMask=emailPrivacyConfig", off)
        try await patch("/config?updateMask=signIn.allowDuplicateEmails", ["signIn": ["allowDuplicateEmails": true]])
        found = try await policy(server, scope)
        #expect(!found.hidesAccounts)
        #expect(found.allowsDuplicateEmails)
        let on: JSONValue = ["emailPrivacyConfig": ["enableImprovedEmailPrivacy": true]]
        try await patch("/tenants/\(id)?updateMask=emailPrivacyConfig", on)
        #expect(try await policy(server, scope).hidesAccounts)
        // A message that reads as `{}` means "off" when it is written back.
        try await patch("/config?updateMask=emailPrivacyConfig", on)
        try await patch("/tenants/\(id)?updateMask=emailPrivacyConfig", ["emailPrivacyConfig": [:]])
        #expect(try await !policy(server, scope).hidesAccounts)
    }

    private func policy(_ server: TestServer, _ scope: Scope) async throws -> SignInPolicy {
        try await server.core.useCases.runtime.configurations.configuration(of: scope).policy
    }

    @Test("are refused when they cannot be meant, or where the project has none")
    func refused() async throws {
        do {
            let server = try await TestServer.start(project: project)
            for (body, message) in [
                ([:], "MISSING_DISPLAY_NAME"), (["displayName": "1st"], "INVALID_DISPLAY_NAME"),
                (["displayName": "abc"], "INVALID_DISPLAY_NAME"), (["displayName": "with space"], "INVALID_DISPLAY_NAME"),
                (["displayName": "abcd", "testPhoneNumbers": ["x": "123456"]], "INVALID_TESTING_PHONE_NUMBER"),
                (["displayName": "abcd", "recaptchaConfig": ["useAccountDefender": true]], "RECAPTCHA_NOT_ENABLED"),
                (["displayName": "abcd", "allowPasswordSignup": [:]], "Invalid JSON payload received. /allowPasswordSignup"),
            ] as [(JSONValue, String)] {
                let refused = try await server.admin("POST", "/tenants", body)
                #expect(refused.status == 400)
                #expect(refused.errorMessage?.hasPrefix(message) == true, "\(refused.errorMessage ?? "")")
            }
            for id in ["nobody", "..%2f", "%2e%2e", "a%00b", "a%2Fb", "%F0%9F%98%80"] {
                let refused = try await server.admin("GET", "/tenants/\(id)")
                #expect(refused.status == 404, "\(id)")
            }
            for path in ["/accounts:lookup"] {
                let unknown = try await server.admin(
                    "POST",
                    "/tenants/nobody" + path,
                    ["localId": ["x"]],
                    prefix: "/v1/projects/demo-test"
                )
                #expect(unknown.errorMessage == "TENANT_NOT_FOUND")
            }
            #expect(try await server.admin("GET", "/tenants", token: nil).status == 401)
        }
        let off = "config: {multiTenant: {allowTenants: false}}"
        do {
            let server = try await TestServer.start(project: { _ in off })
            for (method, path) in [("GET", "/tenants"), ("POST", "/tenants"), ("GET", "/tenants/x")] {
                let refused = try await server.admin(method, path, method == "GET" ? nil : ["displayName": "abcd"])
                #expect(refused.errorMessage?.hasPrefix("INVALID_PROJECT_ID") == true)
            }
        }
        // Tenants need not be enabled.
        let server = try await TestServer.start(project: { _ in "config: {}" })
        #expect(try await server.admin("POST", "/tenants", ["displayName": "abcd"]).status == 200)
    }

    @Test("are listed by id, page by page", arguments: Engine.allCases)
    func pages(engine: Engine) async throws {
        let server = try await TestServer.start(project: project, on: engine)
        #expect(try await server.admin("GET", "/tenants").json == ["tenants": []])
        var ids: [String] = []
        for number in 0..<5 { ids.append(try await create(server, ["displayName": .string("Tenant-\(number)")])) }
        ids.sort()
        func page(_ query: String) async throws -> (ids: [String], token: String?) {
            let answer = try await server.admin("GET", "/tenants?" + query)
            let names = (answer["tenants"]?.array ?? []).compactMap { $0["name"]?.string?.split(separator: "/").last }
            return (names.map(String.init), answer["nextPageToken"]?.string)
        }
        var seen: [String] = []
        var token: String? = ""
        while let next = token {
            let page = try await page("pageSize=2&pageToken=\(next)")
            seen += page.ids
            token = page.token
        }
        #expect(seen == ids)
        #expect(try await page("pageSize=1000000000").ids == ids)
        #expect(try await page("").ids == ids)
        #expect(try await server.admin("GET", "/tenants?pageSize=-1").status == 400)
        #expect(try await server.admin("GET", "/tenants?pageToken=a%2Fb").errorMessage == "INVALID_PAGE_SELECTION")
    }

    @Test("have policies that are kept, and overwritten by nobody who has not read them")
    func policies() async throws {
        let server = try await TestServer.start(project: project)
        let path = "/tenants/" + (try await create(server, ["displayName": "policy"]))
        let empty = try await server.admin("POST", path + ":getIamPolicy", [:])
        #expect(empty["version"] == 1)
        #expect(empty["bindings"] == [])
        let bindings: JSONValue = [["role": "roles/viewer", "members": ["user:a@example.com"]]]
        let policy: JSONValue = ["bindings": bindings, "etag": try #require(empty["etag"])]
        let set = try await server.admin("POST", path + ":setIamPolicy", ["policy": policy])
        #expect(set["bindings"] == bindings)
        #expect(try await server.admin("POST", path + "%3AgetIamPolicy", [:]).json == set.json)
        let stale = try await server.admin("POST", path + ":setIamPolicy", ["policy": policy])
        #expect(stale.status == 409)
        #expect(stale.errorMessage?.hasPrefix("ABORTED") == true)
        #expect(stale["error"]?["status"] == "ABORTED")
        let permissions: JSONValue = ["permissions": ["firebaseauth.users.get"]]
        #expect(try await server.admin("POST", path + ":testIamPermissions", permissions).json == permissions)
        for verb in [":getIamPolicy", ":setIamPolicy", ":testIamPermissions"] {
            #expect(try await server.admin("POST", path + verb, [:], token: nil).status == 401)
            #expect(try await server.admin("POST", "/tenants/nobody" + verb, [:]).errorMessage == "TENANT_NOT_FOUND")
        }
        #expect(try await server.admin("POST", path + ":nonsense", [:]).status == 405)
        #expect(try await server.admin("POST", path + ":setIamPolicy", ["policy": 7]).status == 400)
    }

    @Test("come into being on first use in development, with exactly what the emulator gives them")
    func development() async throws {
        let server = try await TestServer.start(mode: .development, project: { _ in "config: {}" })
        func admin(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> TestClient.Answer {
            try await server.admin(method, path, body, token: "owner")
        }
        let implicit: JSONValue = [
            "allowPasswordSignup": true, "enableEmailLinkSignin": true, "enableAnonymousUser": true, "disableAuth": false,
            "mfaConfig": ["state": "ENABLED", "enabledProviders": ["PHONE_SMS"]],
            "name": "projects/demo-test/tenants/first", "tenantId": "first",
        ]
        #expect(try await admin("GET", "/tenants/first").json == implicit)
        let created = try await admin("POST", "/tenants", ["mfaConfig": [:], "displayName": "x y"])
        let id = try #require(created["tenantId"]?.string)
        #expect(id.wholeMatch(of: /[A-Za-z0-9]{28}/) != nil)
        let own: JSONValue = ["name": .string("projects/demo-test/tenants/\(id)"), "tenantId": .string(id), "displayName": "x y"]
        #expect(created.json == Self.defaults.merging(own))
        let listed = try await admin("GET", "/tenants?pageSize=-1")
        #expect(listed["tenants"]?.array?.count == 2)
        #expect(listed["nextPageToken"] == nil)
        let full = try await admin("GET", "/tenants?pageSize=2")
        #expect(full["nextPageToken"] == full["tenants"]?[1]?["tenantId"])

        let verbatim: JSONValue = ["state": "MANDATORY", "enabledProviders": ["PROVIDER_UNSPECIFIED", "PHONE_SMS"]]
        let changed = try await admin(
            "PATCH",
            "/tenants/\(id)?updateMask=mfaConfig,displayName,nonsense,allowPasswordSignup.x",
            ["mfaConfig": verbatim]
        )
        #expect(changed["mfaConfig"] == verbatim)
        #expect(changed["displayName"] == "x y")
        let replaced = try await admin("PATCH", "/tenants/first", ["displayName": "only"])
        #expect(
            replaced.json
                == Self.defaults.merging(["displayName": "only", "name": "projects/demo-test/tenants/first", "tenantId": "first"])
        )
        #expect(try await admin("DELETE", "/tenants/first").json == [:])
        #expect(try await admin("DELETE", "/tenants/never").json == [:])
        #expect(try await admin("GET", "/tenants/first").json == implicit)
        #expect(try await admin("GET", "/tenants/a~b").errorMessage == "TENANT_NOT_FOUND")
    }

    @Test("of two changes at once lose none", arguments: Engine.allCases)
    func concurrency(engine: Engine) async throws {
        let server = try await TestServer.start(project: project, on: engine)
        let path = "/tenants/" + (try await create(server, ["displayName": "busy"]))
        let changes: [(String, JSONValue)] = [
            ("allowPasswordSignup", true), ("enableEmailLinkSignin", true), ("enableAnonymousUser", true),
            ("displayName", "busy-2"),
        ]
        try await withThrowingTaskGroup(of: Int.self) { tasks in
            for (name, value) in changes {
                tasks.addTask { try await server.admin("PATCH", "\(path)?updateMask=\(name)", [name: value]).status }
            }
            for try await status in tasks { #expect(status == 200) }
        }
        let tenant = try await server.admin("GET", path)
        for (name, value) in changes { #expect(tenant[name] == value) }
    }

    @Test("leave their audit trail whole when they are removed", arguments: Engine.allCases)
    func trail(engine: Engine) async throws {
        let server = try await TestServer.start(project: project, on: engine)
        let id = try await create(server, ["displayName": "Acme-1"])
        #expect(try await server.admin("accounts", ["localId": "ada"], tenant: id).status == 200)
        server.clock.advance(by: .seconds(300))
        #expect(try await server.core.auditSequencer.sequence() ?? 0 > 0)
        #expect(try await server.admin("DELETE", "/tenants/\(id)").status == 200)
        server.clock.advance(by: .seconds(300))
        _ = try await server.core.auditSequencer.sequence()
        let masterKey = try MasterKey(bytes: [UInt8](repeating: 7, count: 32))
        let verification = AuditVerification(database: server.core.database, signer: try AuditSigner(masterKey: masterKey))
        let chains = try await verification.verify(projectID: "demo-test", checkpoints: [])
        #expect(chains.flatMap(\.faults).isEmpty)
        #expect(chains.count >= 2, "that of the project, and that of the tenant")
        #expect(!server.log.lines.contains { $0.contains("was changed by somebody else") })
    }
}
