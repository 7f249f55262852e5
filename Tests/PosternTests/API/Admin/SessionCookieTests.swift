import Project
import Storage
import TestKit
import Testing
import Tokens

@testable import Server

@Suite("Session cookies", .teardown, .timeLimit(.minutes(15)))
struct SessionCookieTests {
    private func cookie(_ server: TestServer, _ body: JSONValue, tenant: String? = nil) async throws -> TestClient.Answer {
        try await server.admin(":createSessionCookie", body, tenant: tenant)
    }

    @Test("carry the token's claims for as long as was asked for, and are signed with a published key")
    func claims() async throws {
        let server = try await TestServer.start()
        let session = try server.session(try await server.call("signUp", [:]))
        let token: JSONValue = .string(session.idToken)
        let source = try payload(session)
        server.clock.advance(by: .seconds(10))
        for (duration, seconds) in [
            (nil, 1_209_600), (0, 1_209_600), (300, 300), ("1209600", 1_209_600),
        ] as [(JSONValue?, Int64)] {
            var body: JSONValue = ["idToken": token]
            body["validDuration"] = duration
            let text = try #require(try await cookie(server, body)["sessionCookie"]?.string)
            var claims = try decode(text, 1)
            #expect(claims["iss"] == "https://session.firebase.google.com/demo-test")
            #expect(claims["iat"] == .integer(server.clock.now.seconds))
            #expect(claims["exp"] == .integer(server.clock.now.seconds + seconds))
            for name in ["iss", "iat", "exp"] { claims[name] = source[name] }
            #expect(claims == source)
            let jws = try CompactJWS(text)
            let keys = try await server.client.get("/v1/sessionCookiePublicKeys")["keys"]?.array ?? []
            let jwk = try #require(keys.first { $0["kid"]?.string == jws.keyID })
            #expect(await VerificationKey.keys(jwk: jwk).first?.verifies(jws) == true)
        }
        #expect(try await server.auditTrail().contains(["createSessionCookie", "admin.token", session.localID]))
    }

    @Test("are refused in the contract's order; no cookie passes as an ID token or makes another")
    func refusals() async throws {
        let server = try await TestServer.start()
        let session = try server.session(try await server.call("signUp", [:]))
        let token: JSONValue = .string(session.idToken)
        let made: JSONValue = .string(try #require(try await cookie(server, ["idToken": token])["sessionCookie"]?.string))
        for (body, error) in [
            (["validDuration": 1], "MISSING_ID_TOKEN"), (["idToken": "x", "validDuration": 299], "INVALID_DURATION"),
            (["idToken": "x", "validDuration": "1209601"], "INVALID_DURATION"),
            (["idToken": "x", "validDuration": -300], "INVALID_DURATION"), (["idToken": "x"], "INVALID_ID_TOKEN"),
            (["idToken": made], "INVALID_ID_TOKEN"),
            (["idToken": .string(HostileToken.unsigned(try payload(session)))], "INVALID_ID_TOKEN"),
        ] as [(JSONValue, String)] {
            #expect(TestServer.outcome(try await cookie(server, body)) == error)
        }
        for method in ["lookup", "update", "delete"] {
            #expect(try await server.call(method, ["idToken": made]).errorMessage == "INVALID_ID_TOKEN")
        }
        #expect(try await cookie(server, ["idToken": token], tenant: "acme").errorMessage == "TENANT_ID_MISMATCH")
        let id: JSONValue = .string(session.localID)
        _ = try await server.admin("accounts:update", ["localId": id, "disableUser": true])
        #expect(try await cookie(server, ["idToken": token]).errorMessage == "USER_DISABLED")
        let later: JSONValue = .string(String(server.clock.now.seconds + 1))
        _ = try await server.admin("accounts:update", ["localId": id, "validSince": later])
        #expect(try await cookie(server, ["idToken": token]).errorMessage == "TOKEN_EXPIRED")
        _ = try await server.admin("accounts:delete", ["localId": id])
        #expect(try await cookie(server, ["idToken": token]).errorMessage == "USER_NOT_FOUND")
        let keyed = TestServer.adminPath(":createSessionCookie") + "?key=\(TestServer.apiKey)"
        #expect(try await server.client.post(keyed, ["idToken": token]).status == 401)
        #expect(
            try await server.client.post("/v1/projects/other:createSessionCookie", [:], headers: TestServer.bearer).status
                == 400
        )
    }

    @Test("have no lifetime that nobody can read; development takes it for the longest")
    func unreadable() async throws {
        for mode in [ServerMode.production, .development] {
            let server = try await TestServer.start(mode: mode)
            let session = try server.session(try await server.call("signUp", [:]))
            for duration in ["300s", "abc", "", true] as [JSONValue] {
                let answer = try await cookie(server, ["idToken": .string(session.idToken), "validDuration": duration])
                if mode == .production {
                    let expected = "Invalid JSON payload received. /validDuration must be integer"
                    #expect(TestServer.outcome(answer) == expected)
                } else {
                    let claims = try decode(try #require(answer["sessionCookie"]?.string), 1)
                    #expect(claims["exp"] == .integer(server.clock.now.seconds + 1_209_600))
                }
            }
            #expect(try await cookie(server, ["idToken": "x", "validDuration": 300.5]).status == 400)
        }
    }

    @Test("of tenants are made on either path")
    func tenants() async throws {
        let server = try await TestServer.start()
        let session = try server.session(try await server.call("signUp", ["tenantId": "acme"]))
        for tenant in ["acme", nil] {
            let answer = try await cookie(server, session.token, tenant: tenant)
            let claims = try decode(try #require(answer["sessionCookie"]?.string), 1)
            #expect(claims["firebase"]?["tenant"] == "acme")
            #expect(claims["iss"] == "https://session.firebase.google.com/demo-test")
        }
    }

    @Test("outlive the keys of ID tokens in the documents that their verifiers read")
    func keys() async throws {
        let server = try await TestServer.start()
        let ring = server.core.keyRing
        let old = try ring.current().kid
        try await ring.rotate()
        server.clock.advance(by: .seconds(86_400 * 14))
        try await ring.refresh()
        let documents = [
            "/v1/publicKeys", "/identitytoolkit.googleapis.com/v1/publicKeys", "/identitytoolkit/v3/relyingparty/publicKeys",
            "/www.googleapis.com/identitytoolkit/v3/relyingparty/publicKeys",
        ]
        for path in documents {
            let answer = try await server.client.get(path)
            #expect(answer[old]?.string?.hasPrefix("-----BEGIN CERTIFICATE-----") == true)
            #expect(answer.header("Cache-Control")?.hasPrefix("public, max-age=") == true)
        }
        let published = ring.published.map(\.record.kid)
        #expect(ring.verificationKey(old) == nil && !published.contains(old))
        server.clock.advance(by: .seconds(3601))
        try await ring.refresh()
        #expect(try await server.client.get(documents[0])[old] == nil)
    }

    @Test("are unsigned in development, where the Node SDK takes no others")
    func development() async throws {
        let server = try await TestServer.start(mode: .development)
        let session = try server.session(try await server.call("signUp", [:]))
        let answer = try await cookie(server, session.token)
        let text = try #require(answer["sessionCookie"]?.string)
        #expect(try decode(text, 0) == ["alg": "none", "typ": "JWT"])
        #expect(text.hasSuffix("."))
    }
}
