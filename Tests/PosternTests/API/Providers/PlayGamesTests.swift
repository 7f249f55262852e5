import Project
import TestKit
import Testing

@Suite("Play Games", .teardown, .timeLimit(.minutes(15)))
struct PlayGamesTests {
    private func grant(_ code: String, app: String = TestServer.app, _ more: JSONValue = [:]) -> FakeApps.Grant {
        let player: JSONValue = ["playerId": "p-1", "displayName": "Ada", "avatarImageUrl": "https://cdn.example/a.png"]
        return FakeApps.Grant(app: app, token: "games-\(code)", profile: player.merging(more), code: code)
    }

    @Test("signs in with a server auth code, once")
    func success() async throws {
        let server = try await TestServer.startWithProviders()
        server.provider.apps.grant(grant("code-1"), at: "playgames")
        let answer = try await server.signIn("playgames.google.com", form: [("code", "code-1")])
        let session = try server.session(answer)
        #expect(answer["displayName"] == "Ada")
        #expect(answer["photoUrl"] == "https://cdn.example/a.png")
        #expect(answer["oauthExpireIn"] == 3599)
        #expect(answer["email"] == nil)
        #expect(try await server.entry("playgames.google.com", of: session)["rawId"] == "p-1")
        expectRefused(try await server.signIn("playgames.google.com", form: [("code", "code-1")]))
    }

    @Test("refuses codes of another app, access tokens, and nonsense")
    func refusals() async throws {
        let server = try await TestServer.startWithProviders()
        server.provider.apps.grant(grant("theirs", app: "their-app"), at: "playgames")
        server.provider.apps.grant(grant("damaged", ["playerId": 1]), at: "playgames")
        for code in ["theirs", "damaged", "made-up"] {
            expectRefused(
                try await server.signIn("playgames.google.com", form: [("code", code)]),
                "INVALID_IDP_RESPONSE : ",
                code
            )
        }
        let token = [("access_token", "games-theirs")]
        expectRefused(try await server.signIn("playgames.google.com", form: token), "INVALID_CREDENTIAL_OR_PROVIDER_ID : ")
        server.provider.apps.grant(grant("code-2"), at: "playgames")
        let bare: JSONValue = ["tenantId": "bare"]
        expectRefused(try await server.signIn("playgames.google.com", form: [("code", "code-2")], bare))
        server.provider.setFault(.status(500), at: "/google/token")
        expectRefused(try await server.signIn("playgames.google.com", form: [("code", "code-2")]))
    }
}
