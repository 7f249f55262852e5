import Foundation
import Project
import TestKit
import Testing

@testable import Server

@Suite("What official and common clients send (ruling 39)", .teardown, .timeLimit(.minutes(15)))
struct ClientLeniencyTests {
    private static func mail(_ smtp: SMTPServer) -> [String: String] {
        let transport = [
            "POSTERN_EMAIL_TRANSPORT": "smtp", "POSTERN_EMAIL_SMTP_URL": "smtp://127.0.0.1:\(smtp.port)",
            "POSTERN_EMAIL_FROM": "Postern <noreply@example.com>",
        ]
        return transport
    }

    private let owner = [("Authorization", "Bearer \(TestServer.adminToken)")]

    @Test("forms: every call of firedart, whose values are texts")
    func forms() async throws {
        let server = try await TestServer.start(project: TestServer.emailProject(hidesAccounts: true))
        func post(_ method: String, _ form: [(String, String)]) async throws -> TestClient.Answer {
            try await server.client.post("/v1/accounts:\(method)?key=\(TestServer.apiKey)", form: form)
        }
        let credentials = [("email", "ada+1@b.c"), ("password", "s&cret=1 +%"), ("returnSecureToken", "true")]
        let created = try server.session(try await post("signUp", credentials))
        let session = try server.session(try await post("signInWithPassword", credentials))
        #expect(session.localID == created.localID)
        let token = ("idToken", session.idToken)
        #expect(try await post("lookup", [token])["users"]?[0]?["email"] == "ada+1@b.c")
        let named = try await post(
            "update",
            [token, ("displayName", "Ada & Co"), ("photoUrl", ""), ("returnSecureToken", "true")]
        )
        #expect(named["displayName"] == "Ada & Co", "\(named.json)")
        #expect(try await post("update", [token, ("deleteAttribute", "DISPLAY_NAME")])["displayName"] == nil)
        #expect(try await post("sendOobCode", [("requestType", "PASSWORD_RESET"), ("email", "ada+1@b.c")]).status == 200)
        #expect(try await post("signUp", []).status == 200)
        let form = [("grant_type", "refresh_token"), ("refresh_token", session.refreshToken)]
        #expect(try await server.client.post("/v1/token?key=\(TestServer.apiKey)", form: form).status == 200)
        #expect(try await post("delete", [token]).status == 200)
        // The old names are the same endpoints.
        let legacy = "/identitytoolkit/v3/relyingparty/signupNewUser?key=\(TestServer.apiKey)"
        #expect(
            try await server.client.post(legacy, form: [("email", "old@b.c"), ("password", "secret-1")])["email"] == "old@b.c"
        )
    }

    @Test("but no form with a name twice, none of administrators, and no form for JSON that curl announces as one")
    func otherForms() async throws {
        let server = try await TestServer.start(project: TestServer.emailProject())
        let type = [("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")]
        func post(
            _ body: String,
            _ path: String = "/v1/accounts:signUp?key=\(TestServer.apiKey)",
            _ more: [(String, String)] = []
        ) async throws -> TestClient.Answer {
            try await server.client.send("POST", path, headers: type + more, body: Data(body.utf8))
        }
        let (signUp, token) = ("/v1/accounts:signUp?key=\(TestServer.apiKey)", "/v1/token?key=\(TestServer.apiKey)")
        for (body, path) in [
            ("email=a%40b.c&password=secret-1&email=x%40b.c", signUp), ("email=a%40b.c&email=a%40b.c", signUp),
            ("a=1&a=", signUp), ("password=a%00b&email=a%40b.c", signUp),
            ("grant_type=refresh_token&refresh_token=a&refresh_token=b", token),
        ] {
            let answer = try await post(body, path)
            #expect(answer.status == 400 && answer["error"]?["status"] == "INVALID_ARGUMENT", "\(body): \(answer.json)")
            #expect(answer.errorMessage?.hasPrefix("The form has a field twice") == true, "\(body): \(answer.json)")
        }
        #expect(try await post(#" {"email":"json@b.c","password":"secret-1"}"#)["email"] == "json@b.c")
        let byAdministrator = try await post("localId=x", "/v1/projects/demo-test/accounts:lookup", owner)
        #expect(byAdministrator["error"]?["errors"]?[0]?["reason"] == "parseError")
    }

    @Test("a service account's bearer in place of the key of `token`, which gives no rights there")
    func bearerOfToken() async throws {
        let server = try await TestServer.start(project: TestServer.emailProject())
        let session = try await server.signUp("a@b.c")
        let form = [("grant_type", "refresh_token"), ("refresh_token", session.refreshToken)]
        func refresh(_ path: String, _ headers: [(String, String)]) async throws -> TestClient.Answer {
            let type = [("Content-Type", "application/x-www-form-urlencoded")]
            return try await server.client.send("POST", path, headers: type + headers, body: Data(TestClient.encode(form).utf8))
        }
        for path in ["/v1/token", "/securetoken.googleapis.com/v1/token"] {
            #expect(try await refresh(path, owner)["user_id"]?.string == session.localID)
            #expect(try await refresh(path, []).status == 403)
            #expect(try await refresh(path, [("Authorization", "Bearer nonsense")]).status == 401)
            #expect(try await refresh(path + "?key=wrong", []).status == 400)
        }
        // Where a key is needed besides, a bearer still is none.
        #expect(try await server.client.post("/v2/accounts/mfaSignIn:start", [:], headers: owner).status == 403)
    }

    @Test("one value where a list is declared")
    func singleValues() async throws {
        let server = try await TestServer.start(project: TestServer.emailProject())
        let session = try await server.signUp("a@b.c")
        let id = JSONValue.string(session.localID)
        for selector: JSONValue in [["localId": id], ["email": "a@b.c"], ["localId": id, "email": ["a@b.c"]]] {
            #expect(try await server.callAsAdmin("lookup", selector)["users"]?[0]?["localId"] == id, "\(selector.text)")
        }
        let found = try await server.admin(
            "POST",
            "/accounts:query",
            ["expression": ["email": "a@b.c"]],
            prefix: "/v1/projects/demo-test"
        )
        #expect(found["userInfo"]?[0]?["localId"] == id, "\(found.json)")
        #expect(try await server.callAsAdmin("update", ["localId": id, "displayName": "A"])["displayName"] == "A")
        #expect(try await server.callAsAdmin("update", ["localId": id, "deleteAttribute": "DISPLAY_NAME"]).status == 200)
        #expect(try await server.user(session.localID)?["displayName"] == nil)
        let deletion: JSONValue = ["localIds": id, "force": true]
        #expect(try await server.admin("POST", "/accounts:batchDelete", deletion, prefix: "/v1/projects/demo-test").json == [:])
        #expect(try await server.user(session.localID) == nil)
    }

    @Test("administrators ask for a sign-in link without an address to go on to; clients may not", arguments: [true, false])
    func linkWithoutAddress(returnsLink: Bool) async throws {
        let smtp = try await SMTPServer.start()
        let server = try await TestServer.start(environment: Self.mail(smtp), project: TestServer.emailProject())
        let body: JSONValue = ["requestType": "EMAIL_SIGNIN", "email": "a@b.c", "returnOobLink": .bool(returnsLink)]
        let answer = try await server.callAsAdmin("sendOobCode", body)
        #expect(answer.status == 200, "\(answer.json)")
        #expect((answer["oobLink"] != nil) == returnsLink)
        if let code = answer["oobCode"] {
            let signedIn = try await server.call("signInWithEmailLink", ["email": "a@b.c", "oobCode": code])
            #expect(signedIn["isNewUser"] == true, "\(signedIn.json)")
        }
        let client = try await server.call("sendOobCode", ["requestType": "EMAIL_SIGNIN", "email": "a@b.c"])
        #expect(client.errorMessage == "MISSING_CONTINUE_URI")
    }

    @Test("`checkActionCode` tells to which address the one that is recovered was changed")
    func recoveredAddress() async throws {
        let smtp = try await SMTPServer.start()
        let server = try await TestServer.start(environment: Self.mail(smtp), project: TestServer.emailProject())
        let session = try await server.verifiedUser("old@b.c")
        let change = try await server.code(
            "VERIFY_AND_CHANGE_EMAIL",
            ["idToken": .string(session.idToken), "newEmail": "new@b.c"]
        )
        #expect(try await server.call("update", ["oobCode": .string(change)])["newEmail"] == "new@b.c")
        let text = try #require(try await smtp.message(1)["parts"]?["text/plain"]?.string)
        let code = try #require(text.firstMatch(of: /oobCode=([A-Za-z0-9_-]+)/).map { String($0.1) })
        let checked = try await server.call("resetPassword", ["oobCode": .string(code)])
        #expect(checked["requestType"] == "RECOVER_EMAIL", "\(checked.json)")
        #expect(checked["email"] == "old@b.c" && checked["newEmail"] == "new@b.c", "\(checked.json)")
    }

    @Test("v3 exports and imports name no project, and `fields` is ignored")
    func legacyMoves() async throws {
        let server = try await TestServer.start(project: TestServer.emailProject())
        let path = "/identitytoolkit/v3/relyingparty/"
        let users: JSONValue = ["users": [["localId": "u", "email": "u@b.c"]]]
        #expect(try await server.client.post(path + "uploadAccount", users, headers: owner)["error"] == nil)
        let page = try await server.client.post(path + "downloadAccount?fields=users.localId", ["maxResults": 5], headers: owner)
        #expect(page["users"]?[0]?["localId"] == "u" && page["users"]?[0]?["email"] == "u@b.c", "\(page.json)")
        for name in ["uploadAccount", "downloadAccount"] {
            let keyed = try await server.client.post(path + name + "?key=\(TestServer.apiKey)", [:])
            #expect(keyed.errorMessage == "INSUFFICIENT_PERMISSION", "\(name)")
        }
    }

    @Test("`authorizedDomains` is answered exactly as it was set", arguments: Engine.allCases)
    func authorizedDomains(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let before = try await server.admin("GET", "/config")["authorizedDomains"]
        #expect(before == ["localhost", "127.0.0.1"], "\(before?.text ?? "")")
        for domains: JSONValue in [["b.example", "App.Example", "a.example"], ["localhost", "localhost"], ["only.example"]] {
            let body: JSONValue = ["authorizedDomains": domains]
            #expect(try await server.admin("PATCH", "/config?updateMask=authorizedDomains", body)["authorizedDomains"] == domains)
            #expect(try await server.admin("GET", "/config")["authorizedDomains"] == domains)
        }
        // Whatever is set, the server's own host is told to clients and stays authorized.
        let told = try await server.client.get("/v1/projects?key=\(TestServer.apiKey)")
        #expect(told["authorizedDomains"] == ["only.example", "127.0.0.1"], "\(told.json)")
    }

    @Test("issuers that are no URL and certificates that are none are stored with a warning, and nobody signs in by them")
    func placeholders() async throws {
        let server = try await TestServer.start(project: TestServer.emailProject())
        let oidc: JSONValue = ["enabled": true, "issuer": "issuer", "clientId": "client-id", "clientSecret": "secret"]
        let made = try await server.admin("POST", "/oauthIdpConfigs?oauthIdpConfigId=oidc.tf", oidc)
        #expect(made["issuer"] == "issuer", "\(made.json)")
        #expect(made["warnings"] == ["issuer: It is no URL that may be asked. Nobody signs in by it."])
        let saml: JSONValue = [
            "enabled": true,
            "idpConfig": [
                "idpEntityId": "tf-idp", "ssoUrl": "https://example.com",
                "idpCertificates": [["x509Certificate": "certificate1"]],
            ],
            "spConfig": ["spEntityId": "tf-sp", "callbackUri": "https://example.com"],
        ]
        let stored = try await server.admin("POST", "/inboundSamlConfigs?inboundSamlConfigId=saml.tf", saml)
        #expect(stored["idpConfig"]?["idpCertificates"] == [["x509Certificate": "certificate1"]], "\(stored.json)")
        #expect(stored["warnings"]?[0]?.string?.hasPrefix("idpConfig.idpCertificates[0]: It is no certificate") == true)
        #expect(server.log.lines.count { $0.hasPrefix("warning ") && $0.contains("needs a look") } == 2)
        for id in ["oidc.tf", "saml.tf"] {
            let began = try await server.call("createAuthUri", ["providerId": .string(id), "continueUri": "http://localhost/"])
            #expect(began.status == 400 && began["authUri"] == nil, "\(id): \(began.json)")
        }
        let token = try TestKey.p256(kid: "k").token(claims: ["iss": "issuer", "aud": "client-id", "sub": "u"])
        let answer = try await server.signIn("oidc.tf", token)
        #expect(answer.status == 400 && answer["idToken"] == nil, "\(answer.json)")
    }
}
