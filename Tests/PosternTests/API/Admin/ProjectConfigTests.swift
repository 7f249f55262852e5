import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("The project's configuration", .teardown, .timeLimit(.minutes(15)))
struct ProjectConfigTests {
    private func change(
        _ server: TestServer,
        _ mask: String,
        _ body: JSONValue,
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> TestClient.Answer {
        let answer = try await server.admin("PATCH", "/config?updateMask=\(mask)", body)
        #expect(answer.status == 200, "\(answer.errorMessage ?? "")", sourceLocation: location)
        return answer
    }

    @Test("is shown and changed under every spelling of its path, by administrators only")
    func access() async throws {
        let server = try await TestServer.start()
        let paths = ["/v2", "/admin/v2"].flatMap { ["\($0)", "/identitytoolkit.googleapis.com\($0)"] }
        for prefix in paths.map({ $0 + "/projects/demo-test" }) {
            let answer = try await server.admin("GET", "/config", prefix: prefix)
            #expect(answer.status == 200)
            #expect(answer["name"] == "projects/demo-test/config")
            #expect(answer["mfa"] == ["state": "DISABLED"])
            for method in ["GET", "PATCH"] {
                for path in ["/config", "/config?key=\(TestServer.apiKey)"] {
                    let refused = try await server.admin(method, path, method == "GET" ? nil : [:], token: nil, prefix: prefix)
                    #expect(refused.status == 401)
                    #expect(refused["error"]?["errors"]?[0]?["message"] == "Login Required.")
                }
                let wrong = try await server.admin(method, "/config", nil, token: "owner", prefix: prefix)
                #expect(wrong["error"]?["errors"]?[0]?["message"] == "Invalid Credentials")
            }
        }
        let foreign = try await server.admin("GET", "/config", prefix: "/v2/projects/another")
        #expect(foreign.errorMessage == "PROJECT_NOT_FOUND")
        #expect(try await server.admin("DELETE", "/config").status == 405)
        #expect(try await server.admin("GET", "/tenants/acme/config").status == 404)
        for path in ["/emulator/v1/projects/demo-test/config"] {
            #expect(try await server.client.get(path).status == 404)
        }
    }

    @Test("says how passwords are hashed, to those who may see secrets")
    func hashConfig() async throws {
        try await TestServer.running() { server in
            let hash = try await server.admin("GET", "/config")["signIn"]?["hashConfig"]
            #expect(hash == ["algorithm": "ARGON2", "rounds": 1, "memoryCost": 8192])
            let changed = try await change(server, "signIn.hashConfig", ["signIn": ["hashConfig": ["algorithm": "MD5"]]])
            #expect(changed["signIn"]?["hashConfig"] == hash)
            let registry = AdminTokenTests.registry(server)
            let (_, reader) = try await registry.create("reader", scopes: .read, days: nil)
            let read = try await server.admin("GET", "/config", token: reader)
            #expect(read.status == 200)
            #expect(read["signIn"]?["hashConfig"] == nil)
        }
        let server = try await TestServer.start(mode: .development)
        #expect(try await server.admin("GET", "/config", token: "owner")["signIn"]?["hashConfig"] == nil)
    }

    @Test("changes by mask: what is named is set or cleared, what is not stays", arguments: Engine.allCases)
    func masks(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let numbers: JSONValue = ["+15555550100": "123456"]
        _ = try await change(
            server,
            "signIn.email.enabled%2CsignIn.phoneNumber.testPhoneNumbers,mobileLinksConfig",
            [
                "signIn": ["email": ["enabled": true, "passwordRequired": true], "phoneNumber": ["testPhoneNumbers": numbers]],
                "mobileLinksConfig": ["domain": "HOSTING_DOMAIN"], "autodeleteAnonymousUsers": true, "name": "other",
            ]
        )
        var config = try await server.admin("GET", "/config")
        #expect(config["signIn"]?["email"] == ["enabled": true])
        #expect(config["signIn"]?["anonymous"] == ["enabled": true])
        #expect(config["signIn"]?["phoneNumber"]?["testPhoneNumbers"] == numbers)
        #expect(config["mobileLinksConfig"] == ["domain": "HOSTING_DOMAIN"])
        #expect(config["autodeleteAnonymousUsers"] == nil)
        #expect(config["name"] == "projects/demo-test/config")

        // Snake case in parameter, mask and body, as the Firebase CLI writes it. One variant removes the other.
        let regions: JSONValue = ["sms_region_config": ["allowlist_only": ["allowed_regions": ["US", "de"]]]]
        let snake = try await server.admin(
            "PATCH",
            "/config?update_mask=sms_region_config",
            regions,
            prefix: "/admin/v2/projects/demo-test"
        )
        #expect(snake["smsRegionConfig"] == ["allowlistOnly": ["allowedRegions": ["US", "DE"]]])
        let other = try await change(
            server,
            "smsRegionConfig.allowByDefault",
            ["smsRegionConfig": ["allowByDefault": ["disallowedRegions": ["FR"]]]]
        )
        #expect(other["smsRegionConfig"] == ["allowByDefault": ["disallowedRegions": ["FR"]]])

        // Absent, null and an empty map clear. Repeated masks are combined. Output-only members are ignored.
        let cleared = try await server.admin(
            "PATCH",
            "/config?updateMask=signIn.phoneNumber.testPhoneNumbers&updateMask=mobileLinksConfig,name,smsRegionConfig",
            ["signIn": ["phoneNumber": ["testPhoneNumbers": [:]]], "smsRegionConfig": .null]
        )
        #expect(cleared.status == 200)
        config = try await server.admin("GET", "/config")
        #expect(config["signIn"]?["phoneNumber"]?["testPhoneNumbers"] == nil)
        #expect(config["mobileLinksConfig"] == nil)
        #expect(config["smsRegionConfig"] == nil)
        #expect(config["signIn"]?["email"] == ["enabled": true])

        for mask in ["nonsense", "signIn.nonsense", "signIn.allowDuplicateEmails.x", "authorizedDomains.0", "a..b"] {
            let refused = try await server.admin("PATCH", "/config?updateMask=\(mask)", [:])
            #expect(refused.status == 400)
            #expect(refused["error"]?["status"] == "INVALID_ARGUMENT")
        }
        // A single entry of a map.
        _ = try await change(
            server,
            "blockingFunctions.triggers.beforeCreate",
            ["blockingFunctions": ["triggers": ["beforeCreate": ["functionUri": "https://f.example/a"]]]]
        )
        let both = try await change(
            server,
            "blockingFunctions.triggers.beforeSignIn",
            ["blockingFunctions": ["triggers": ["beforeSignIn": ["functionUri": "https://f.example/b"]]]]
        )
        let triggers = both["blockingFunctions"]?["triggers"]
        #expect(triggers?["beforeCreate"]?["functionUri"] == "https://f.example/a")
        #expect(triggers?["beforeSignIn"]?["functionUri"] == "https://f.example/b")
        #expect(triggers?["beforeSignIn"]?["updateTime"]?.string != nil)

        // Without a mask everything is replaced. `*` has the same meaning.
        let replaced = try await server.admin("PATCH", "/config", ["autodeleteAnonymousUsers": true])
        #expect(replaced["signIn"]?.object?.keys.sorted() == ["allowDuplicateEmails", "hashConfig"])
        #expect(replaced["signIn"]?["allowDuplicateEmails"] == false)
        #expect(replaced["autodeleteAnonymousUsers"] == true)
        #expect(replaced["blockingFunctions"] == [:])
        let whole = try await change(server, "*", ["signIn": ["anonymous": ["enabled": true]]])
        #expect(whole["autodeleteAnonymousUsers"] == nil)
        #expect(whole["signIn"]?["anonymous"] == ["enabled": true])
    }

    @Test("says what it must say when it is shown, and nothing else")
    func presentation() async throws {
        let server = try await TestServer.start()
        let options: JSONValue = [
            "containsLowercaseCharacter": false, "containsUppercaseCharacter": true, "containsNumericCharacter": false,
            "containsNonAlphanumericCharacter": false, "minPasswordLength": 8, "maxPasswordLength": 4096,
        ]
        let policy: JSONValue = [
            "passwordPolicyEnforcementState": "ENFORCE", "forceUpgradeOnSignin": false,
            "passwordPolicyVersions": [["customStrengthOptions": options]],
        ]
        let answer = try await change(
            server,
            "passwordPolicyConfig,emailPrivacyConfig.enableImprovedEmailPrivacy,mfa,recaptchaConfig",
            [
                "passwordPolicyConfig": policy, "emailPrivacyConfig": ["enableImprovedEmailPrivacy": false],
                "mfa": [
                    "state": "ENABLED", "enabledProviders": ["PHONE_SMS"],
                    "providerConfigs": [["state": "DISABLED", "totpProviderConfig": [:]]],
                ],
                "recaptchaConfig": [
                    "emailPasswordEnforcementState": "AUDIT", "useAccountDefender": false, "useSmsBotScore": false,
                    "managedRules": [["endScore": 0.1, "action": "BLOCK"]],
                    "recaptchaKeys": [["key": "projects/p/keys/k", "type": "WEB"]],
                ],
            ]
        )
        #expect(answer["emailPrivacyConfig"] == [:])
        #expect(answer["passwordPolicyConfig"]?["forceUpgradeOnSignin"] == false)
        #expect(answer["passwordPolicyConfig"]?["passwordPolicyVersions"]?[0]?["customStrengthOptions"] == options)
        #expect(answer["passwordPolicyConfig"]?["passwordPolicyVersions"]?[0]?["schemaVersion"] == 1)
        #expect(answer["mfa"]?["providerConfigs"] == [["state": "DISABLED", "totpProviderConfig": [:]]])
        #expect(answer["recaptchaConfig"]?["useAccountDefender"] == false)
        #expect(answer["recaptchaConfig"]?["useSmsBotScore"] == false)
        let later = try await server.admin("GET", "/config")
        #expect(later["recaptchaConfig"]?["useAccountDefender"] == nil)
        #expect(later["recaptchaConfig"]?["managedRules"] == [["endScore": 0.1, "action": "BLOCK"]])
        #expect(later["client"]?["apiKey"] == .string(TestServer.apiKey))
        // The policy applies at once to all callers.
        let shown = try await server.client.get("/v2/passwordPolicy?key=\(TestServer.apiKey)")
        #expect(shown["enforcementState"] == "ENFORCE")
        #expect(shown["customStrengthOptions"]?["minPasswordLength"] == 8)
    }

    @Test("keeps the mail server's password to itself, and gives it to no other server", arguments: Engine.allCases)
    func mailPassword(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let secret = "correct horse battery"
        let smtp: JSONValue = [
            "senderEmail": "a@example.com", "host": "smtp.example.com", "port": 465, "username": "u", "securityMode": "SSL",
        ]
        let set = try await change(
            server,
            "notification.sendEmail.smtp",
            ["notification": ["sendEmail": ["smtp": smtp.merging(["password": .string(secret)])]]]
        )
        #expect(set["notification"]?["sendEmail"]?["smtp"] == smtp)
        #expect(try await !server.storedText().contains(secret))
        func sealed() async throws -> JSONValue? {
            try await server.core.database.read {
                try $0.resource(Scope(projectID: "demo-test"), kind: .config, resourceID: "")
            }?["notification"]?["sendEmail"]?["smtp"]?["password"]
        }
        let before = try await sealed()
        #expect(before?["sealed"] != nil)
        let read = try #require(try await server.admin("GET", "/config")["notification"])
        _ = try await change(server, "notification", ["notification": read])
        #expect(try await sealed() == before)
        let elsewhere = smtp.merging(["host": "evil.example"])
        _ = try await change(server, "notification", ["notification": ["sendEmail": ["smtp": elsewhere]]])
        #expect(try await sealed() == nil)
        // A mask that leaves the password unchanged does not help either.
        let moves: [(String, JSONValue)] = [
            ("host", "evil.example"), ("port", 2525), ("username", "v"), ("securityMode", "START_TLS"),
        ]
        for (member, value) in moves {
            let whole = smtp.merging(["password": .string(secret)])
            _ = try await change(server, "notification.sendEmail.smtp", ["notification": ["sendEmail": ["smtp": whole]]])
            let sender: JSONValue = ["notification": ["sendEmail": ["smtp": ["senderEmail": "b@example.com"]]]]
            _ = try await change(server, "notification.sendEmail.smtp.senderEmail", sender)
            #expect(try await sealed()?["sealed"] != nil)
            let move: JSONValue = ["notification": ["sendEmail": ["smtp": .object([MemberName(member): value])]]]
            _ = try await change(server, "notification.sendEmail.smtp.\(member)", move)
            #expect(try await sealed() == nil, "\(member)")
        }
        let details = try await server.auditDetails("configUpdated")
        #expect(details.contains { $0["resource"] == "projects/demo-test/config" && $0["fields"]?.array?.isEmpty == false })
        #expect(!server.log.lines.joined().contains(secret))
    }

    @Test("goes without what the emulator does not know in development, and takes what the emulator takes")
    func development() async throws {
        let server = try await TestServer.start(mode: .development, project: { _ in "config: {}" })
        let fresh = try await server.admin("GET", "/config", token: "owner")
        #expect(fresh["signIn"] == ["allowDuplicateEmails": false])
        #expect(fresh["blockingFunctions"] == [:])
        #expect(fresh.json.object?.keys.sorted() == ["blockingFunctions", "emailPrivacyConfig", "name", "signIn"])
        #expect(try await server.admin("GET", "/config", token: nil).status == 403)
        let keyed = try await server.admin("GET", "/config?key=k", token: nil)
        #expect(keyed.errorMessage?.hasPrefix("INSUFFICIENT_PERMISSION") == true)

        let functions: JSONValue = ["triggers": ["beforeCreate": ["functionUri": "http://127.0.0.1:5001/x"]]]
        let full = try await server.admin(
            "PATCH",
            "/config",
            ["signIn": ["allowDuplicateEmails": true], "blockingFunctions": functions],
            token: "owner"
        )
        #expect(full["signIn"] == ["allowDuplicateEmails": true])
        #expect(full["blockingFunctions"] == functions)
        for (mask, body) in [
            ("displayName", [:]), ("signIn.allowDuplicateEmails.x", ["signIn": ["allowDuplicateEmails": false]]),
            ("signIn.allowDuplicateEmails", [:]),
        ] as [(String, JSONValue)] {
            let answer = try await server.admin("PATCH", "/config?updateMask=\(mask)", body, token: "owner")
            #expect(answer.status == 200)
            #expect(answer["signIn"] == ["allowDuplicateEmails": true])
        }
        let cleared = try await server.admin(
            "PATCH",
            "/config?updateMask=signIn.allowDuplicateEmails",
            ["signIn": ["allowDuplicateEmails": .null]],
            token: "owner"
        )
        #expect(cleared["signIn"] == ["allowDuplicateEmails": false])

        // The emulator's own form needs no credentials.
        let path = "/emulator/v1/projects/demo-test/config"
        #expect(
            try await server.client.get(path).json
                == ["signIn": ["allowDuplicateEmails": false], "emailPrivacyConfig": ["enableImprovedEmailPrivacy": false]]
        )
        let patched = try await server.client.send(
            "PATCH",
            path,
            headers: [("Content-Type", "application/json")],
            body: Data(#"{"emailPrivacyConfig":{"enableImprovedEmailPrivacy":true},"mfa":{}}"#.utf8)
        )
        #expect(
            patched.json
                == ["signIn": ["allowDuplicateEmails": false], "emailPrivacyConfig": ["enableImprovedEmailPrivacy": true]]
        )
        #expect(try await server.admin("GET", "/config", token: "owner")["blockingFunctions"] == functions)
    }
}
