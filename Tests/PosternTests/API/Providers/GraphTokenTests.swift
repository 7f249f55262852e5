import Project
import TestKit
import Testing

@Suite("A Microsoft access token alone", .teardown, .timeLimit(.minutes(15)))
struct GraphTokenTests {
    private let graph = "https://graph.microsoft.com"

    private func token(_ server: TestServer, _ overrides: JSONValue = [:], subject: JSONValue = "ms-1") throws -> String {
        let claims: JSONValue = ["aud": .string(graph), "appid": .string(TestServer.app), "tid": "Tenant-1", "sub": "of-graph"]
        let token = try server.provider.token(claims.merging(overrides))
        let profile: JSONValue = [
            "sub": subject, "name": "Ada Lovelace", "email": "Ada@Example.com",
            "picture": "https://graph.microsoft.com/v1.0/me/photo/$value",
        ]
        server.provider.apps.grant(.init(app: TestServer.app, token: token, profile: profile), at: "graph")
        return token
    }

    @Test("for Graph and of our app signs in the user whom Graph names, the same as by ID token")
    func success() async throws {
        let server = try await TestServer.startWithProviders()
        let text = try token(server)
        let answer = try await server.signIn("microsoft.com", form: [("access_token", text)])
        let session = try server.session(answer)
        #expect(answer["isNewUser"] == true)
        #expect(answer["federatedId"] == "tenant-1.ms-1")
        #expect(answer["displayName"] == "Ada Lovelace")
        #expect(answer["email"] == "ada@example.com")
        #expect(answer["emailVerified"] == false)
        #expect(answer["photoUrl"] == nil)
        #expect(answer["oauthAccessToken"]?.string == text)
        let claims: JSONValue = ["iss": .string(server.provider.issuer("microsoft/Tenant-1/v2.0")), "tid": "Tenant-1"]
        let byIDToken = try await server.signIn("microsoft.com", try server.providerToken("microsoft", "ms-1", claims))
        #expect(try server.session(byIDToken).localID == session.localID)
    }

    @Test("of another app, for another service, of a closed directory, or that Graph refuses, is refused")
    func refusals() async throws {
        let server = try await TestServer.startWithProviders()
        let foreign: [JSONValue] = [
            ["appid": "their-app"], ["appid": .null], ["appid": ["our-app"]], ["aud": "https://other.example"],
            ["aud": [.string(graph)]], ["aud": .string(TestServer.app)], ["tid": .null], ["tid": "../common"],
        ]
        for overrides in foreign {
            let form = [("access_token", try token(server, overrides))]
            expectRefused(try await server.signIn("microsoft.com", form: form), "INVALID_IDP_RESPONSE : ", "\(overrides)")
        }
        #expect(server.provider.count("/graph/oidc/userinfo") == 0)
        for text in ["EwB-opaque", "a.b.c", "with space"] {
            expectRefused(try await server.signIn("microsoft.com", form: [("access_token", text)]))
        }
        let good = try token(server)
        expectRefused(try await server.signIn("microsoft.com", form: [("access_token", good)], ["tenantId": "bare"]))
        server.provider.apps.revoke(good, at: "graph")
        expectRefused(try await server.signIn("microsoft.com", form: [("access_token", good)]))
        let nobody = try token(server, ["uti": "1"], subject: .null)
        expectRefused(try await server.signIn("microsoft.com", form: [("access_token", nobody)]))
        server.provider.setFault(.status(503), at: "/graph/oidc/userinfo")
        expectRefused(try await server.signIn("microsoft.com", form: [("access_token", try token(server, ["uti": "2"]))]))
    }
}
