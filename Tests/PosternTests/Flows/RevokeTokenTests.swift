import Project
import TestKit
import Testing

@Suite("accounts:revokeToken", .teardown, .timeLimit(.minutes(15)))
struct RevokeTokenTests {
    @Test("ends the user's own tokens at Apple")
    func revoke() async throws {
        let server = try await FlowServer.start()
        let authorization = server.provider.authorization
        let session = try server.session(try await server.signIn("apple.com", try server.appleToken("apple-1")))
        let claims: JSONValue = ["sub": "apple-1"]
        // A native code for the second of our apps.
        let code = authorization.nativeCode(issuer: "apple", clientID: "com.example.two", claims: claims)
        let answer = try await revoke(server, session, "3", code)
        #expect(answer.status == 200)
        #expect(answer.json == [:])
        #expect(authorization.revoked.last?.hasPrefix("refresh_token:refresh-") == true)
        #expect(try await revoke(server, session, "ACCESS_TOKEN", "opaque").status == 200)
        #expect(authorization.revoked.last == "access_token:opaque")
        let refresh = authorization.refreshToken(issuer: "apple", clientID: "com.example.web", claims: claims)
        #expect(try await revoke(server, session, 1, refresh).status == 200)
        #expect(authorization.revoked.last == "refresh_token:\(refresh)")
    }

    @Test("never ends another user's tokens")
    func otherUser() async throws {
        let server = try await FlowServer.start()
        let authorization = server.provider.authorization
        let session = try server.session(try await server.signIn("apple.com", try server.appleToken("apple-1")))
        let theirs: JSONValue = ["sub": "apple-2"]
        let message = "INVALID_IDP_RESPONSE : The token belongs to another user."
        let code = authorization.nativeCode(issuer: "apple", clientID: "com.example.app", claims: theirs)
        #expect(try await revoke(server, session, "CODE", code).errorMessage == message)
        let refresh = authorization.refreshToken(issuer: "apple", clientID: "com.example.web", claims: theirs)
        #expect(try await revoke(server, session, "REFRESH_TOKEN", refresh).errorMessage == message)
        let anonymous = try server.session(try await server.call("signUp", [:]))
        let without = try await revoke(server, anonymous, "ACCESS_TOKEN", "opaque")
        #expect(without.errorMessage?.hasPrefix("INVALID_IDP_RESPONSE : ") == true)
        #expect(authorization.revoked.isEmpty)
    }

    @Test("refuses what is missing, wrong or used")
    func refusals() async throws {
        let server = try await FlowServer.start()
        let session = try server.session(try await server.signIn("apple.com", try server.appleToken("apple-1")))
        for (change, message): (JSONValue, String) in [
            (["providerId": "google.com"], "INVALID_PROVIDER_ID"), (["providerId": .null], "INVALID_PROVIDER_ID"),
            (["idToken": .null], "MISSING_ID_TOKEN"), (["idToken": "x"], "INVALID_ID_TOKEN"),
            (["tokenType": .null], "Invalid JSON payload received."), (["token": ""], "Invalid JSON payload received."),
            (["tokenType": "0"], "Invalid JSON payload received."), (["tokenType": "4"], "Invalid JSON payload received."),
            (["redirectUri": "http://x.example"], "Invalid JSON payload received."),
            ([:], "INVALID_IDP_RESPONSE : The identity provider refused the request."),
        ] {
            let answer = try await revoke(server, session, "CODE", "unknown", change)
            #expect(answer.status == 400)
            #expect(answer.errorMessage?.hasPrefix(message) == true)
        }
        #expect(server.provider.authorization.revoked.isEmpty)
    }

    private func revoke(
        _ server: TestServer,
        _ session: TestServer.Session,
        _ type: JSONValue,
        _ token: String,
        _ extra: JSONValue = [:]
    ) async throws -> TestClient.Answer {
        let body: JSONValue = [
            "providerId": "apple.com", "tokenType": type, "token": .string(token), "idToken": .string(session.idToken),
        ]
        return try await server.client.post("/v2/accounts:revokeToken?key=\(TestServer.apiKey)", body.merging(extra))
    }
}
