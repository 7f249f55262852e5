import Project
import TestKit
import Testing

@Suite("The ID token that the browser carries beside a code", .teardown, .timeLimit(.minutes(15)))
struct BrowserTokenTests {
    @Test("is verified as well as the other, and may say what that leaves out")
    func tokenOfBrowser() async throws {
        let server = try await FlowServer.start()
        func signIn(_ claims: JSONValue, by key: TestKey? = nil, bindsCode: Bool = false) async throws -> TestClient.Answer {
            let flow = try await server.begin("apple.com")
            let answer = try await FakeAuthorizationServer.visit(flow.authURI)
            var pairs = FormEncoding.pairs(answer.form[...].utf8).filter { $0.name != "id_token" }.map { ($0.name, $0.value) }
            var own: JSONValue = ["nonce": .string(flow.query["nonce"] ?? "")]
            let code = pairs.first { $0.0 == "code" }?.1 ?? ""
            if bindsCode { own["c_hash"] = .string(Base64URL.encode(Array(sha256(code.utf8).prefix(16)))) }
            let all = server.claims("apple", "com.example.web", "user-1", own.merging(claims))
            pairs.append(("id_token", try (key ?? server.provider.key()).token(claims: all)))
            let body: JSONValue = [
                "requestUri": .string(FlowServer.redirect), "postBody": .string(TestClient.encode(pairs)),
                "sessionId": .string(flow.sessionID),
            ]
            return try await server.call("signInWithIdp", body)
        }
        let bad: [(JSONValue, String)] = [
            (["aud": "another"], "INVALID_IDP_RESPONSE : "),
            (["aud": "com.example.app", "azp": 1], "INVALID_IDP_RESPONSE : "),
            (["iss": "https://appleid.apple.com"], "INVALID_IDP_RESPONSE : "), (["exp": 1], "INVALID_IDP_RESPONSE : "),
            (["c_hash": "AAAAAAAAAAAAAAAAAAAAAA"], "INVALID_IDP_RESPONSE : "),
            (["nonce": "other"], "MISSING_OR_INVALID_NONCE : "), (["nonce": .null], "MISSING_OR_INVALID_NONCE : "),
        ]
        for (claims, reason) in bad {
            let message = try await signIn(claims).errorMessage ?? "none"
            #expect(message.hasPrefix(reason), "\(claims.text): \(message)")
        }
        let stranger = try TestKey.rsa(kid: server.provider.key().kid)
        #expect(try await signIn([:], by: stranger).errorMessage?.hasPrefix("INVALID_IDP_RESPONSE : ") == true)
        // This token may add claims that the token endpoint's ID token lacks.
        let email = TestServer.email("ada@example.com")
        let good = try await signIn(email, bindsCode: true)
        #expect(try await server.account(try server.session(good))["email"] == "ada@example.com")
        #expect(good["email"] == "ada@example.com")
        #expect(good["emailVerified"] == true)
    }
}
