import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("A refresh token is exchanged", .teardown, .timeLimit(.minutes(15)))
struct TokenEndpointTests {
    @Test("by form and by JSON, in either spelling, under both paths", arguments: Engine.allCases)
    func forms(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let session = try server.session(try await server.signIn("oidc.test", try server.oidcToken()))
        server.clock.advance(by: .seconds(30))
        let token: JSONValue = .string(session.refreshToken)
        for prefix in ["", "/securetoken.googleapis.com"] {
            let path = "\(prefix)/v1/token?key=\(TestServer.apiKey)"
            let form = [("grant_type", "refresh_token"), ("refresh_token", session.refreshToken)]
            for answer in [
                try await server.client.post(path, form: form),
                try await server.client.post(path, ["grantType": "refresh_token", "refreshToken": token]),
                try await server.client.post(path, ["grant_type": "refresh_token", "refresh_token": token]),
            ] {
                #expect(answer.status == 200)
                #expect(answer["id_token"] == answer["access_token"])
                #expect(answer["refresh_token"] == token)
                #expect(answer["token_type"] == "Bearer")
                #expect(answer["expires_in"] == "3600")
                #expect(answer["user_id"]?.string == session.localID)
                #expect(answer["project_id"]?.string.flatMap(Int64.init) != nil)
                #expect(answer["localId"] == nil)
                let claims = try decode(try #require(answer["id_token"]?.string), 1)
                #expect(claims["iat"]?.integer == server.clock.now.seconds)
                #expect(claims["auth_time"]?.integer == server.clock.now.seconds - 30)
                #expect(claims["firebase"]?["sign_in_provider"] == "oidc.test")
            }
        }
        #expect(try await server.account(session)["lastRefreshAt"]?.string == server.clock.now.rfc3339)
    }

    @Test("only when it is one, and its parts are there", arguments: Engine.allCases)
    func errors(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let session = try server.session(try await server.call("signUp", [:]))
        let good = session.refreshToken
        for (body, error) in [
            ([:], "MISSING_GRANT_TYPE"), (["grant_type": ""], "MISSING_GRANT_TYPE"),
            (["grant_type": "authorization_code", "code": .string(session.idToken)], "INVALID_GRANT_TYPE"),
            (["grant_type": "refresh_token"], "MISSING_REFRESH_TOKEN"),
            (["grant_type": "refresh_token", "refresh_token": "garbage"], "INVALID_REFRESH_TOKEN"),
            (["grant_type": "refresh_token", "refresh_token": .string(session.idToken)], "INVALID_REFRESH_TOKEN"),
            (["grant_type": "refresh_token", "refresh_token": .string(String(good.dropLast()))], "INVALID_REFRESH_TOKEN"),
            (["grant_type": "refresh_token", "refresh_token": .string(good + "A")], "INVALID_REFRESH_TOKEN"),
            (["grant_type": "refresh_token", "refresh_token": .string(good), "tenantId": "acme"], "TENANT_ID_MISMATCH"),
        ] as [(JSONValue, String)] {
            let answer = try await server.client.post("/v1/token?key=\(TestServer.apiKey)", body)
            #expect(answer.errorMessage == error)
            #expect(answer.status == 400)
        }
        let bearer = [("Authorization", "Bearer \(TestServer.adminToken)")]
        #expect(try await server.client.post("/v1/token", [:], headers: bearer).errorMessage == "MISSING_GRANT_TYPE")
        #expect(try await server.client.post("/v1/token", [:]).status == 403)
    }

    @Test("and only its hash is in the store", arguments: Engine.allCases)
    func storedAsHash(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let session = try server.session(try await server.call("signUp", [:]))
        let hashes = try await server.core.database.read {
            try $0.query("SELECT token_hash FROM sessions").map { try $0.bytes("token_hash") }
        }
        #expect(hashes == [sha256(session.refreshToken.utf8)])
    }

    @Test("until the account has more sessions than it may: the least recently used one ends")
    func surplus() async throws {
        let server = try await TestServer.start(environment: ["POSTERN_LIMITS_SESSIONS_PER_USER": "3"])
        var sessions: [TestServer.Session] = []
        for _ in 0..<3 {
            sessions.append(try server.session(try await server.signIn("oidc.test", try server.oidcToken())))
            server.clock.advance(by: .seconds(1))
        }
        #expect(try await server.refresh(sessions[0].refreshToken).status == 200)
        server.clock.advance(by: .seconds(1))
        sessions.append(try server.session(try await server.signIn("oidc.test", try server.oidcToken())))
        var results: [Int] = []
        for session in sessions { results.append(try await server.refresh(session.refreshToken).status) }
        #expect(results == [200, 400, 200, 200])
        #expect(try await server.refresh(sessions[1].refreshToken).errorMessage == "TOKEN_EXPIRED")
    }

    @Test("unless it has not been used for longer than allowed")
    func idle() async throws {
        let server = try await TestServer.start(environment: ["POSTERN_LIMITS_SESSION_IDLE_DAYS": "2"])
        let session = try server.session(try await server.call("signUp", [:]))
        server.clock.advance(by: .seconds(86_400 * 2 - 1))
        #expect(try await server.refresh(session.refreshToken).status == 200)
        server.clock.advance(by: .seconds(86_400 * 2))
        #expect(try await server.refresh(session.refreshToken).errorMessage == "TOKEN_EXPIRED")
    }
}
