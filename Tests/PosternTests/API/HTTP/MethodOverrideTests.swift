import Foundation
import Project
import TestKit
import Testing

@Suite("The header that names another method", .teardown, .timeLimit(.minutes(15)))
struct MethodOverrideTests {
    @Test("of a POST is taken for PATCH alone, as the Admin SDK for Java sends it, and with the same rights")
    func tunnelled() async throws {
        let server = try await TestServer.start()
        let path = "/identitytoolkit.googleapis.com/v2/projects/demo-test/config?updateMask=signIn.email.enabled"
        let body: JSONValue = ["signIn": ["email": ["enabled": true]]]
        func post(_ headers: [(String, String)]) async throws -> TestClient.Answer {
            try await server.client.post(path, body, headers: headers)
        }
        let bearer = [("Authorization", "Bearer \(TestServer.adminToken)")]
        for method in ["DELETE", "patch", "GET", ""] {
            #expect(try await post(bearer + [("X-HTTP-Method-Override", method)]).status == 405, "\(method)")
        }
        #expect(try await post(bearer).status == 405)
        #expect(try await post([("X-HTTP-Method-Override", "PATCH")]).status == 401)
        #expect(try await post(bearer + [("X-HTTP-Method-Override", "PATCH")])["signIn"]?["email"]?["enabled"] == true)
        // It opens no other method, and nothing where POST means something.
        let created = try await server.client.post(
            "/identitytoolkit.googleapis.com/v2/projects/demo-test/oauthIdpConfigs?oauthIdpConfigId=oidc.x",
            ["clientId": "c", "issuer": "https://issuer.example"],
            headers: bearer + [("X-HTTP-Method-Override", "PATCH")]
        )
        #expect(created["name"] == "projects/demo-test/oauthIdpConfigs/oidc.x")
    }
}
