import Foundation
import Project
import TestKit
import Testing

@Suite("In development, tests written for the Firebase emulator", .teardown, .timeLimit(.minutes(15)))
struct EmulatorDropInTests {
    private static let legacy = "/www.googleapis.com/identitytoolkit/v3/relyingparty/"
    let owner = ("Authorization", "Bearer owner")

    func users(_ server: TestServer, _ place: String) async throws -> Int {
        let path = "/identitytoolkit.googleapis.com/v1/projects/\(place)/accounts:batchGet?maxResults=-1"
        let answer = try await server.client.get(path, headers: [owner])
        #expect(answer.status == 200)
        return answer["users"]?.array?.count ?? 0
    }

    private func clear(_ server: TestServer, _ place: String) async throws -> TestClient.Answer {
        try await server.client.send("DELETE", "/emulator/v1/projects/\(place)/accounts")
    }

    @Test("find that the server is ready")
    func status() async throws {
        let server = try await TestServer.startEmulator()
        let answer = try await server.client.get("/")
        #expect(answer.status == 200)
        let docs: JSONValue = "https://firebase.google.com/docs/emulator-suite"
        #expect(answer.json == ["authEmulator": ["ready": true, "docs": docs, "apiSpec": "/emulator/openapi.json"]])
    }

    @Test("clear the users of a project or of one tenant, and nothing else")
    func clearing() async throws {
        do {
            let server = try await TestServer.startEmulator()
            let session = try await server.signUp("a@b.c")
            #expect(try await server.call("signUp", ["tenantId": "t-1"]).status == 200)
            let other = "/v1/projects/another-project/accounts"
            #expect(try await server.client.post(other, ["email": "a@b.c"], headers: [owner]).status == 200)
            #expect(try await server.call("sendOobCode", ["requestType": "PASSWORD_RESET", "email": "a@b.c"]).status == 200)
            #expect(try await server.sendCode("+15555550100").status == 200)
            let config = "/emulator/v1/projects/demo-test/config"
            let patch: JSONValue = ["emailPrivacyConfig": ["enableImprovedEmailPrivacy": true]]
            let json = [("Content-Type", "application/json")]
            _ = try await server.client.send("PATCH", config, headers: json, body: Data(patch.text.utf8))

            let answer = try await server.client.send(
                "DELETE",
                "/emulator/v1/projects/demo-test/accounts",
                headers: json,
                body: Data("{\"ignored\": 1}".utf8)
            )
            #expect(answer.status == 200)
            #expect(answer.json == [:])
            #expect(try await users(server, "demo-test") == 0)
            #expect(try await users(server, "demo-test/tenants/t-1") == 1)
            #expect(try await users(server, "another-project") == 1)
            #expect(try await server.client.get("/emulator/v1/projects/demo-test/oobCodes")["oobCodes"]?.array?.count == 1)
            let codes = try await server.client.get("/emulator/v1/projects/demo-test/verificationCodes")
            #expect(codes["verificationCodes"]?.array?.count == 1)
            #expect(try await server.client.get(config)["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"] == true)
            #expect(try await server.call("lookup", session.token).errorMessage == "USER_NOT_FOUND")

            // Another user gets the same id. The old session is not theirs.
            let again: JSONValue = ["localId": .string(session.localID), "email": "a@b.c"]
            #expect(try await server.client.post("/v1/projects/demo-test/accounts", again, headers: [owner]).status == 200)
            #expect(try await server.refresh(session.refreshToken).errorMessage == "INVALID_REFRESH_TOKEN")

            #expect(try await clear(server, "demo-test/tenants/t-1").json == [:])
            #expect(try await users(server, "demo-test/tenants/t-1") == 0)
            #expect(try await users(server, "demo-test") == 1)
            #expect(try await clear(server, "demo-test/tenants/..").status != 200)
        }
        let server = try await TestServer.start()
        for headers in [[], [owner]] {
            let answer = try await server.client.send("DELETE", "/emulator/v1/projects/demo-test/accounts", headers: headers)
            #expect(answer.status == 404)
        }
    }

    @Test(
        "meet a tenant, open to everything, wherever they name one first",
        arguments: ["oobCodes", "verificationCodes", "accounts", "v2"]
    )
    func tenants(call: String) async throws {
        let server = try await TestServer.startEmulator()
        let method = call == "accounts" ? "DELETE" : "GET"
        if call != "v2" {
            let path = "/emulator/v1/projects/other/tenants/fresh-1/\(call)"
            #expect(try await server.client.send(method, path).status == 200)
            let list = try await server.client.get("/v2/projects/other/tenants", headers: [owner])
            #expect(list["tenants"]?.array?.map { $0["tenantId"] } == ["fresh-1"])
        }
        let tenant = try await server.client.get("/v2/projects/other/tenants/fresh-1", headers: [owner])
        #expect(
            tenant.json == [
                "name": "projects/other/tenants/fresh-1", "tenantId": "fresh-1", "allowPasswordSignup": true,
                "enableEmailLinkSignin": true, "enableAnonymousUser": true, "disableAuth": false,
                "mfaConfig": ["state": "ENABLED", "enabledProviders": ["PHONE_SMS"]],
            ]
        )
    }

    @Test("are told of an ID token of another tenant, whoever calls")
    func otherTenant() async throws {
        let server = try await TestServer.startEmulator()
        let session = try server.session(try await server.call("signUp", ["tenantId": "t-1"]))
        for (path, body) in [
            ("/v1/projects/demo-test/tenants/t-2/accounts:lookup", session.token),
            ("/v1/projects/demo-test/accounts:lookup", session.token.merging(["tenantId": "t-2"])),
        ] {
            let answer = try await server.client.post(path, body, headers: [owner])
            #expect(answer.errorMessage == "TENANT_ID_MISMATCH")
        }
        #expect(try await server.call("lookup", session.token.merging(["tenantId": "t-2"])).errorMessage == "TENANT_ID_MISMATCH")
    }

    @Test("use projects of any name, each with its own users and configuration")
    func projects() async throws {
        let server = try await TestServer.startEmulator()
        let path = "/emulator/v1/projects/other/config"
        let json = [("Content-Type", "application/json")]
        let patch = Data("{\"signIn\": {\"allowDuplicateEmails\": true}}".utf8)
        #expect(try await server.client.send("PATCH", path, headers: json, body: patch).status == 200)
        #expect(try await server.client.get(path)["signIn"]?["allowDuplicateEmails"] == true)
        let ours = try await server.client.get("/emulator/v1/projects/demo-test/config")
        #expect(ours["signIn"]?["allowDuplicateEmails"] == false)

        let credentials: JSONValue = ["targetProjectId": "other", "email": "a@b.c", "password": "secret-1"]
        for method in ["signUp", "signInWithPassword"] {
            let answer = try await server.client.post("/v1/accounts:\(method)", credentials, headers: [owner])
            #expect(answer.status == 200, "\(answer.errorMessage ?? "")")
        }
        let signedIn = try await server.client.post("/v1/accounts:signInWithPassword", credentials, headers: [owner])
        let idToken = signedIn["idToken"]?.string ?? ""
        #expect(try server.payload(idToken)["aud"] == "other")
        let lookup: JSONValue = ["idToken": .string(idToken), "targetProjectId": "other"]
        #expect(try await server.client.post("/v1/accounts:lookup", lookup, headers: [owner]).status == 200)
        // An API key selects the configured project, which has no such user and no such session.
        #expect(try await server.call("lookup", ["idToken": .string(idToken)]).errorMessage == "USER_NOT_FOUND")
        let refreshed = try await server.refresh(signedIn["refreshToken"]?.string ?? "")
        #expect(refreshed.errorMessage == "INVALID_REFRESH_TOKEN")
        #expect(try await server.signIn("a@b.c").status == 400)
    }

    @Test("call the v3 aliases with whatever method")
    func anyMethod() async throws {
        do {
            let server = try await TestServer.startEmulator()
            for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
                for name in ["signupNewUser", "getProjectConfig", "getRecaptchaParam", "publicKeys", "setAccountInfo"] {
                    let json = [("Content-Type", "application/json")]
                    let path = Self.legacy + name + "?key=k"
                    let answer = try await server.client.send(method, path, headers: json, body: Data("{}".utf8))
                    #expect(answer.status == (name == "setAccountInfo" ? 400 : 200), "\(method) \(name)")
                }
            }
            #expect(try await server.client.get("/v1/accounts:signUp?key=k").status == 405)
            #expect(try await server.client.send("HEAD", Self.legacy + "signupNewUser?key=k").status == 405)
        }
        let server = try await TestServer.start()
        #expect(try await server.client.get(Self.legacy + "signupNewUser?key=\(TestServer.apiKey)").status == 405)
    }

    @Test("are told what is not implemented")
    func unimplemented() async throws {
        let server = try await TestServer.startEmulator()
        for (path, operation) in [
            ("/v1/accounts:issueSamlResponse", "identitytoolkit.accounts.issueSamlResponse"),
            (Self.legacy + "signOutUser", "identitytoolkit.relyingparty.signOutUser"),
            (Self.legacy + "setProjectConfig", "identitytoolkit.relyingparty.setProjectConfig"),
        ] {
            let answer = try await server.client.post(path + "?key=k", [:])
            #expect(answer.status == 501)
            #expect(answer.errorMessage == "\(operation) is not implemented in the Auth Emulator.")
            #expect(answer["error"]?["status"] == "NOT_IMPLEMENTED")
            #expect(answer["error"]?["errors"]?.array?.first?["reason"] == "unimplemented")
            #expect(try await server.client.post(path, [:]).status == 403)
        }
    }

    @Test("read each link in one line of the log")
    func logLines() async throws {
        let server = try await TestServer.startEmulator()
        let session = try await server.signUp("a@b.c")
        for (type, purpose) in [
            ("PASSWORD_RESET", "reset the password for"), ("VERIFY_EMAIL", "verify the email address"),
            ("EMAIL_SIGNIN", "sign in as"),
        ] {
            let body: JSONValue = [
                "requestType": .string(type), "email": "a@b.c", "idToken": .string(session.idToken),
                "continueUrl": "http://localhost/",
            ]
            #expect(try await server.call("sendOobCode", body).status == 200)
            let link = try #require(try await server.waitingCodes().last?["oobLink"]?.string)
            let line = "To \(purpose) a@b.c, follow this link: \(link)"
            #expect(server.log.lines.contains { $0.contains(line) })
        }
    }

    @Test("are safe from other sites' pages, whose calls with a key still work")
    func foreignPages() async throws {
        let server = try await TestServer.startEmulator()
        _ = try await server.signUp("a@b.c")
        let evil = ("Origin", "https://evil.example")
        let base = "/emulator/v1/projects/demo-test/"
        for headers in [[evil], [("Origin", "null")], [("Host", "rebind.evil.example")], [("Sec-Fetch-Site", "cross-site")]] {
            for (method, path) in [
                ("DELETE", base + "accounts"), ("DELETE", base + "tenants/t/accounts"), ("GET", base + "oobCodes"),
                ("GET", base + "verificationCodes"), ("GET", base + "config"), ("PATCH", base + "config"),
                ("GET", "/" + base + "oobCodes"),
            ] {
                let answer = try await server.client.send(method, path, headers: headers)
                #expect(answer.status == 403, "\(method) \(path) \(headers)")
                #expect(answer.header("Access-Control-Allow-Origin") == nil)
                let announced = [("Access-Control-Request-Method", method)]
                let preflight = try await server.client.send("OPTIONS", path, headers: headers + announced)
                #expect(preflight.status == 403, "\(method) \(path) \(headers)")
            }
        }
        let export = "/identitytoolkit.googleapis.com/v1/projects/demo-test/accounts:batchGet?maxResults=-1"
        #expect(try await server.client.get(export, headers: [evil, owner]).status == 403)
        #expect(try await server.client.get(export + "&key=k", headers: [evil]).status == 400)
        #expect(try await users(server, "demo-test") == 1)

        // A preflight reveals nothing and gives no access. The emulator's own tests announce these headers.
        let announced = [
            ("Origin", "example.com"), ("Access-Control-Request-Headers", "Authorization,X-Client-Version,X-Whatever-Header"),
            ("Access-Control-Request-Private-Network", "true"),
        ]
        let bare = try await server.client.send("OPTIONS", "/", headers: announced)
        #expect(bare.status == 204)
        #expect(bare.header("Access-Control-Allow-Origin") == "example.com")
        #expect(bare.header("Access-Control-Allow-Headers") == "Authorization,X-Client-Version,X-Whatever-Header")
        #expect(bare.header("Access-Control-Allow-Private-Network") == "true")

        // The headers of the JavaScript SDK of an app that is served from any host.
        let headers = "content-type,x-client-version,x-firebase-client,x-firebase-gmpid,x-firebase-appcheck,x-firebase-locale"
        let path = "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k"
        let preflight = try await server.client.send(
            "OPTIONS",
            path,
            headers: [
                evil, ("Access-Control-Request-Method", "POST"), ("Access-Control-Request-Headers", headers),
                ("Access-Control-Request-Private-Network", "true"),
            ]
        )
        #expect(preflight.status == 204)
        #expect(preflight.header("Access-Control-Allow-Headers") == headers)
        #expect(preflight.header("Access-Control-Allow-Private-Network") == "true")
        let fetch = [evil, ("Sec-Fetch-Site", "cross-site"), ("Content-Type", "application/json")]
        let answer = try await server.client.send("POST", path, headers: fetch, body: Data("{}".utf8))
        #expect(answer.status == 200)
        #expect(answer.header("Access-Control-Allow-Origin") == "https://evil.example")
    }

    @Test("mint nothing that production takes")
    func production() async throws {
        var tokens: [JSONValue] = []
        do {
            let server = try await TestServer.startEmulator()
            tokens.append(.string(try await server.signUp("a@b.c").idToken))
            tokens.append(.string(HostileToken.unsigned(try server.payload(tokens[0].string ?? ""))))
        }
        let server = try await TestServer.start()
        for token in tokens {
            #expect(try await server.call("lookup", ["idToken": token]).errorMessage == "INVALID_ID_TOKEN")
        }
        for word in ["owner", "Owner", "ya29.anything"] {
            let headers = [("Authorization", "Bearer \(word)")]
            let answer = try await server.client.post("/v1/projects/demo-test/accounts:lookup", [:], headers: headers)
            #expect(answer.status == 401)
        }
        for path in ["/", "/emulator/v1/projects/demo-test/config", "/emulator/v1/projects/demo-test/oobCodes"] {
            #expect(try await server.client.get(path).status == 404)
        }
        let custom = try await server.call("signInWithCustomToken", ["token": "{\"uid\": \"x\"}"])
        #expect(custom.errorMessage?.hasPrefix("INVALID_CUSTOM_TOKEN") == true)
    }
}
