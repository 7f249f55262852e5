import Foundation
import Project
import TestKit
import Testing

@Suite("Development mode behaves as the Firebase emulator does", .teardown, .timeLimit(.minutes(15)))
struct DevelopmentModeTests {
    @Test("any API key will do, owner is an administrator, every answer is marked")
    func credentials() async throws {
        let server = try await TestServer.start(mode: .development)
        let answer = try await server.client.post("/v1/accounts:signUp?key=whatever", [:])
        #expect(answer.status == 200)
        #expect(answer.header("Postern-Mode") == "development")
        for path in ["/v1/projects/any-project/accounts:lookup", "/v1/projects/demo-test/accounts:lookup"] {
            let owner = [("Authorization", "Bearer owner")]
            #expect(try await server.client.post(path, ["localId": ["x"]], headers: owner).status == 200)
            let keyed = try await server.client.post(path + "?key=any", [:])
            let message = "INSUFFICIENT_PERMISSION : Only authenticated requests can specify target_project_id."
            #expect(keyed.errorMessage == message)
        }
        #expect(try await server.client.post("/v1/accounts:signUp", [:]).status == 403)
    }

    @Test("web pages of foreign origins, and names that are not ours, get no further than SDK calls")
    func foreignPages() async throws {
        try await TestServer.running(mode: .development) { server in
            func call(_ path: String, _ headers: [(String, String)], _ method: String = "POST") async throws -> TestClient.Answer
            {
                let type = [("Content-Type", "application/json")]
                return try await server.client.send(method, path, headers: type + headers, body: Data("{}".utf8))
            }
            let evil = ("Origin", "https://evil.example")
            let owner = ("Authorization", "Bearer owner")
            #expect(try await call("/v1/accounts:signUp?key=k", [evil]).status == 200)
            for headers in [[evil, owner], [("Origin", "null"), owner], [("Origin", "http://203.0.113.7"), owner]] {
                let answer = try await call("/v1/projects/demo-postern/accounts:lookup", headers)
                #expect(answer.status == 403)
                #expect(answer.header("Access-Control-Allow-Origin") == nil)
            }
            #expect(try await call("/emulator/v1/projects/demo-postern/accounts", [evil], "DELETE").status == 403)
            // A preflight gives no access: the announced call is refused above.
            let announced = ("Access-Control-Request-Headers", "authorization,content-type")
            #expect(try await call("/v1/accounts:lookup", [evil, announced], "OPTIONS").status == 204)
            for origin in ["http://localhost:3000", "http://127.0.0.1:5173", "http://[::1]:80", "https://app.localhost"] {
                #expect(try await call("/v1/projects/demo-postern/accounts:lookup", [("Origin", origin), owner]).status == 200)
            }
            for (host, status) in [("rebind.evil.example:9099", 403), ("localhost:9099", 200), ("10.0.2.2:9099", 200)] {
                #expect(try await call("/v1/accounts:signUp?key=k", [("Host", host)]).status == status)
            }
        }
        let server = try await TestServer.start(mode: .development, environment: ["POSTERN_DEVELOPMENT_ALLOW_REMOTE": "true"])
        let headers = [("Host", "postern:9099"), ("Content-Type", "application/json")]
        let answer = try await server.client.send("POST", "/v1/accounts:signUp?key=k", headers: headers, body: Data("{}".utf8))
        #expect(answer.status == 200)
    }

    @Test("ID tokens are unsigned unless the settings say otherwise, and never expire")
    func unsignedTokens() async throws {
        try await TestServer.running(mode: .development) { server in
            let session = try server.session(try await server.call("signUp", [:]))
            #expect(session.idToken.hasSuffix("."))
            #expect(try header(session) == ["alg": "none", "typ": "JWT"])
            server.clock.advance(by: .seconds(100_000))
            #expect(try await server.call("lookup", session.token).status == 200)
        }
        let server = try await TestServer.start(mode: .development, environment: ["POSTERN_DEVELOPMENT_SIGN_TOKENS": "true"])
        let session = try server.session(try await server.call("signUp", [:]))
        #expect(try header(session)["alg"] == "RS256")
        // Both forms are accepted, independently of the form that is minted.
        for token in [session.idToken, HostileToken.unsigned(try payload(session))] {
            #expect(try await server.call("lookup", ["idToken": .string(token)]).status == 200)
        }
    }

    @Test("provider credentials may be plain JSON or unsigned, for providers configured or not")
    func unsignedCredentials() async throws {
        let server = try await TestServer.start(mode: .development)
        let claims: JSONValue = ["sub": "abc", "email": "a@b.c", "email_verified": true, "screen_name": "ada"]
        for (provider, token) in [
            ("google.com", claims.text), ("twitter.com", claims.text), ("google.com", HostileToken.unsigned(claims)),
        ] {
            let answer = try await server.signIn(provider, token)
            #expect(answer.status == 200, "\(answer.errorMessage ?? "")")
            #expect(answer["oauthAccessToken"]?.string == "FirebaseAuthEmulatorFakeAccessToken_\(provider)")
            // The emulator has no `username`.
            #expect(answer["screenName"] == "ada" && answer["username"] == nil)
        }
        for (token, message) in [
            ("{", "INVALID_IDP_RESPONSE : Unable to parse id_token: { (("),
            ("nonsense", "INVALID_IDP_RESPONSE : Unable to parse id_token: nonsense (("),
            ("{}", "INVALID_IDP_RESPONSE : Invalid Idp Response: id_token missing required fields. (("),
            ("{\"sub\":1}", "INVALID_IDP_RESPONSE : ((The \"sub\" field must be a string."),
        ] {
            let answer = try await server.signIn("google.com", token)
            #expect(answer.errorMessage?.hasPrefix(message) == true, "\(answer.errorMessage ?? "")")
        }
    }

    @Test("what a configured provider signed is taken at its word, the signature's spelling included (ruling 24)")
    func signedCredentials() async throws {
        let server = try await TestServer.start(mode: .development)
        let good = try server.oidcToken("u")
        let parts = good.split(separator: ".").prefix(2).joined(separator: ".")
        for token in [
            good, try server.oidcToken("u", ["aud": "another"]), try server.oidcToken("u", ["exp": 1, "nonce": "n"]),
            try server.oidcToken("u", ["iss": "https://evil.example"]),
            try TestKey.rsa(kid: "rsa-1").token(claims: server.claims("oidc", TestServer.oidcClient, "u")),
            // The unused bits of the last character are not zero.
            parts + ".AB", parts + ".", parts + ".not base64 at all",
        ] {
            let answer = try await server.signIn("oidc.test", token)
            #expect(answer.status == 200, "\(answer.errorMessage ?? "")")
        }
        #expect(try await server.signIn("google.com", try server.googleToken("g", ["aud": "x"])).status == 200)
        #expect(try await server.signIn("apple.com", try server.appleToken("a", ["aud": "x"])).status == 200)
    }

    @Test("what a configured provider signed is verified where the settings say so, unless the provider cannot be reached")
    func verifiedCredentials() async throws {
        let verifying = ["POSTERN_DEVELOPMENT_VERIFY_CREDENTIALS": "true"]
        try await TestServer.running(mode: .development, environment: verifying) { server in
            let bad = [
                try server.oidcToken("u", ["aud": "another"]), try server.oidcToken("u", ["exp": 1]),
                try server.oidcToken("u", ["iss": "https://evil.example"]),
                try TestKey.rsa(kid: "rsa-1").token(claims: server.claims("oidc", TestServer.oidcClient, "u")),
            ]
            for token in bad {
                #expect(try await server.signIn("oidc.test", token).errorMessage?.hasPrefix("INVALID_IDP_RESPONSE") == true)
            }
            let nonce = try server.oidcToken("u", ["nonce": "n"])
            #expect(try await server.signIn("oidc.test", nonce).errorMessage?.hasPrefix("MISSING_OR_INVALID_NONCE") == true)
            #expect(try await server.signIn("oidc.test", nonce, nonce: "n").status == 200)
        }
        let project = { (_: FakeIDP) in
            "oauthIdpConfigs: {oidc.test: {enabled: true, clientId: c, issuer: \"http://127.0.0.1:1\"}}"
        }
        let server = try await TestServer.start(mode: .development, environment: verifying, project: project)
        let answer = try await server.signIn("oidc.test", try server.oidcToken("u", ["iss": "http://127.0.0.1:1"]))
        #expect(answer.status == 200)
        #expect(server.log.lines.contains { $0.contains("unverified credential accepted in development") })
    }

    @Test("tenants are made on first use, and a deleted user's refresh token is invalid")
    func emulatorRules() async throws {
        let server = try await TestServer.start(mode: .development)
        let session = try server.session(try await server.call("signUp", ["tenantId": "fresh-tenant"]))
        #expect(try payload(session)["firebase"]?["tenant"] == "fresh-tenant")
        #expect(try await server.call("signUp", ["tenantId": "../x"]).errorMessage == "INVALID_TENANT_ID")
        server.clock.advance(by: .seconds(1000))
        #expect(try await server.call("delete", session.token).status == 200)
        #expect(try await server.refresh(session.refreshToken).errorMessage == "INVALID_REFRESH_TOKEN")
    }
}
