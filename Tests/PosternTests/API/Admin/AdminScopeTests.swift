import Accounts
import Foundation
import Project
import TestKit
import Testing

@Suite("Scopes of administrators' tokens (TEN-04)", .teardown)
struct AdminScopeTests {
    /// The scopes that may call each route, by its v1, v2 or v3 name: the first letters of the scopes.
    private static let expected: [String: String] = {
        var table: [String: String] = [:]
        func add(_ scopes: String, _ method: String, _ prefix: String, _ names: [String]) {
            for name in names { table["\(method) \(prefix)\(name)"] = scopes }
        }
        let (project, legacy) = ("/v1/projects/{project}", "/identitytoolkit/v3/relyingparty/")
        add("ru", "POST", "/v1/", ["accounts:lookup"])
        add("ru", "POST", project, ["/accounts:lookup", "/accounts:query", ":queryAccounts"])
        add("ru", "GET", project, ["/accounts:batchGet"])
        add("ru", "POST", legacy, ["getAccountInfo", "downloadAccount"])
        let methods = [
            "signUp", "update", "delete", "sendOobCode", "resetPassword", "signInWithPassword", "signInWithEmailLink",
            "createAuthUri", "signInWithIdp", "signInWithGameCenter", "signInWithCustomToken", "sendVerificationCode",
            "signInWithPhoneNumber", "verifyIosClient", "issueSamlResponse",
        ]
        add("u", "POST", "/v1/accounts:", methods)
        add("u", "POST", "/v2/accounts:", ["revokeToken"])
        add("u", "POST", "/v1/projects/-/", ["serviceAccounts/{id}:signBlob"])
        let administrators = ["update", "delete", "sendOobCode", "resetPassword", "batchDelete", "batchCreate"]
        add("u", "POST", project, ["/accounts", ":createSessionCookie"] + administrators.map { "/accounts:\($0)" })
        add(
            "u",
            "POST",
            legacy,
            [
                "signupNewUser", "setAccountInfo", "deleteAccount", "getOobConfirmationCode", "resetPassword",
                "verifyPassword", "emailLinkSignin", "createAuthUri", "verifyAssertion", "signInWithGameCenter",
                "verifyCustomToken", "sendVerificationCode", "verifyPhoneNumber", "verifyClient", "uploadAccount",
                "signOutUser",
            ]
        )
        // A bearer stands for the key there, and gives no rights.
        add("ruc", "POST", "/v1/", ["token"])
        add("rc", "GET", "/v1/", ["projects", "recaptchaParams"])
        add("rc", "GET", legacy, ["getProjectConfig", "getRecaptchaParam"])
        add("rc", "GET", "/metrics", [""])
        add("rc", "GET", "/v2/", ["passwordPolicy", "recaptchaConfig", "defaultSupportedIdps"])
        add("c", "POST", legacy, ["setProjectConfig"])
        let (config, tenant) = ("/v2/projects/{project}", "/v2/projects/{project}/tenants/{tenant}")
        add("rc", "GET", config, ["/config", "/tenants", "/tenants/{tenant}"])
        add("c", "PATCH", config, ["/config", "/tenants/{tenant}"])
        add("c", "POST", config, ["/tenants", "/identityPlatform:initializeAuth"])
        add("c", "POST", tenant, [":getIamPolicy", ":setIamPolicy", ":testIamPermissions"])
        add("c", "DELETE", tenant, [""])
        for place in [config, tenant] {
            add("c", "POST", place, ["/inboundSamlConfigs/{id}/metadata"])
            for collection in ["/defaultSupportedIdpConfigs", "/oauthIdpConfigs", "/inboundSamlConfigs"] {
                add("rc", "GET", place + collection, ["", "/{id}"])
                add("c", "POST", place + collection, [""])
                for method in ["PATCH", "DELETE"] { add("c", method, place + collection, ["/{id}"]) }
            }
        }
        return table
    }()

    /// The canonical spelling of a route: without host, `admin/` and tenant.
    private static func canonical(_ path: String) -> String {
        var name = path
        let hosts = ["identitytoolkit", "www", "iamcredentials", "securetoken"].map { "/\($0).googleapis.com" }
        for prefix in hosts + ["/admin"] where name.hasPrefix(prefix) { name.removeFirst(prefix.count) }
        if name.hasPrefix("/v1/") { name = name.replacing("/tenants/{tenant}", with: "") }
        return name
    }

    @Test("open the routes that they name under every spelling, and none besides")
    func everyRoute() async throws {
        let server = try await TestServer.start()
        var tokens: [(letter: String, headers: [(String, String)])] = []
        for (letter, scopes) in [("r", AdminScopes.read), ("u", .users), ("c", .config)] {
            let (_, token) = try await AdminTokenTests.registry(server).create(letter, scopes: scopes, days: nil)
            tokens.append((letter, [("Authorization", "Bearer \(token)"), ("Content-Type", "application/json")]))
        }
        let paths = try #require(try await server.client.get("/openapi.json")["paths"]?.object)
        var seen: Set<String> = []
        for (name, item) in paths {
            let path = name.text
            for (method, operation) in item.object ?? [:] where method != "head" {
                guard operation["security"]?.array?.contains(["administrator": []]) == true else { continue }
                let name = "\(method.text.uppercased()) \(Self.canonical(path))"
                let target = path.replacing("{project}", with: "demo-test").replacing("{tenant}", with: "none")
                    .replacing("{id}", with: "oidc.none")
                var met = ""
                for (letter, headers) in tokens {
                    let body = method == "get" ? nil : JSONValue.object([:]).serialized()
                    let answer = try await server.client.send(method.text.uppercased(), target, headers: headers, body: body)
                    let isRefused = answer.errorMessage == "INSUFFICIENT_PERMISSION : The caller does not have permission."
                    if !isRefused { met += letter }
                }
                #expect(met == Self.expected[name], "\(method) \(path)")
                seen.insert(name)
            }
        }
        #expect(seen == Set(Self.expected.keys))
    }

    @Test("show the codes of fictional numbers and the addresses of functions to those only who change configuration")
    func keys() async throws {
        let project = """
            blockingFunctions: {triggers: {beforeSignIn: {functionUri: "https://hooks.example.com/?key=secret"}}}
            """
        let server = try await TestServer.start(project: TestServer.phoneProject(project))
        let tenant: JSONValue = ["testPhoneNumbers": ["+16505550103": "111111"]]
        let root = "/identitytoolkit.googleapis.com/v2/projects/demo-test"
        let path = root + "/tenants/acme"
        let stored = try await server.client.send(
            "PATCH",
            path,
            headers: TestServer.bearer + [("Content-Type", "application/json")],
            body: tenant.serialized()
        )
        #expect(stored.status == 200, "\(stored.json.text)")
        for (name, scopes) in [("r", AdminScopes.read), ("c", .config)] {
            let (_, token) = try await AdminTokenTests.registry(server).create(name, scopes: scopes, days: nil)
            let headers = [("Authorization", "Bearer \(token)")]
            let config = try await server.client.get(root + "/config", headers: headers)
            let one = try await server.client.get(path, headers: headers)
            let all = try await server.client.get(root + "/tenants", headers: headers)
            for (answer, secret) in [
                (config, TestServer.testNumberCode), (config, "key=secret"), (one, "111111"), (all, "111111"),
            ] {
                #expect(answer.status == 200)
                #expect(answer.json.text.contains(secret) == (scopes == .config), "\(name): \(secret)")
            }
            #expect(config["blockingFunctions"]?["triggers"]?["beforeSignIn"] != nil)
        }
    }

    @Test("v3 names move accounts in and out for those only who may do so by the v1 names")
    func legacyMoves() async throws {
        let server = try await TestServer.start()
        let user = try server.session(try await server.call("signUp", [:]))
        let body: JSONValue = ["targetProjectId": "demo-test", "users": [["localId": "planted"]]]
        for prefix in ["/identitytoolkit", "/www.googleapis.com/identitytoolkit"] {
            for (word, reads, writes) in [("read", true, false), ("users", true, true), ("config", false, false)] {
                let scopes = try #require(AdminScopes(word: word))
                let name = word + prefix.replacing("/", with: ".")
                let (_, token) = try await AdminTokenTests.registry(server).create(name, scopes: scopes, days: nil)
                func call(_ method: String) async throws -> TestClient.Answer {
                    let headers = [("Authorization", "Bearer \(token)")]
                    return try await server.client.post("\(prefix)/v3/relyingparty/\(method)", body, headers: headers)
                }
                let listed = try await call("downloadAccount")
                #expect(listed.status == (reads ? 200 : 403), "\(word)")
                #expect(listed.json.text.contains(user.localID) == reads, "\(word)")
                #expect(!listed.json.text.contains("passwordHash"))
                #expect(try await call("uploadAccount").status == (writes ? 200 : 403), "\(word)")
            }
        }
    }
}
