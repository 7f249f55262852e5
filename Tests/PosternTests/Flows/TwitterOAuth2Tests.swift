import Foundation
import Project
import TestKit
import Testing

@Suite("Twitter with OAuth 2.0", .teardown, .timeLimit(.minutes(15)))
struct TwitterOAuth2Tests {
    private let tenant: JSONValue = ["tenantId": "x"]
    private let profile: JSONValue = [
        "id": "42", "name": "Ada Lovelace", "username": "ada", "confirmed_email": "Ada@Example.com", "verified": false,
        "profile_image_url": "https://cdn.example/ada.jpg", "secret_field": "x",
    ]

    @Test("signs in by a code with PKCE, as the same user as with OAuth 1.0a")
    func flow() async throws {
        let server = try await FlowServer.start()
        server.provider.authorization.setProfile(profile)
        let flow = try await server.begin("twitter.com", tenant.merging(["oauthScope": "users.email"]))
        #expect(URLComponents(string: flow.authURI)?.path == "/twitter/i/oauth2/authorize")
        let query = flow.query
        #expect(query["response_type"] == "code")
        #expect(query["client_id"] == "x-client")
        #expect(query["redirect_uri"] == FlowServer.redirect)
        #expect(query["scope"] == "users.read tweet.read users.email")
        #expect(query["code_challenge_method"] == "S256")
        #expect((query["state"]?.utf8.count ?? 0) >= 22)
        #expect(query["nonce"] == nil)
        let answer = try await FakeAuthorizationServer.visit(flow.authURI)
        let result = try await server.complete(answer, flow.sessionID, tenant)
        let session = try server.session(result)
        #expect(result["providerId"] == "twitter.com")
        #expect(result["federatedId"] == "42")
        #expect(result["displayName"] == "Ada Lovelace")
        #expect(result["screenName"] == "ada")
        #expect(result["photoUrl"] == "https://cdn.example/ada.jpg")
        #expect(result["email"] == "ada@example.com")
        #expect(result["emailVerified"] == false)
        #expect(result["oauthAccessToken"]?.string?.hasPrefix("access-") == true)
        #expect(result["oauthTokenSecret"] == nil)
        #expect(result["oauthIdToken"] == nil)
        #expect(result["oauthExpireIn"] == 3599)
        #expect(result["isNewUser"] == true)
        let raw = try JSONValue.parse(try #require(result["rawUserInfo"]?.string).utf8)
        #expect(raw["username"] == "ada")
        #expect(raw["secret_field"] == nil)
        #expect(server.provider.count("/twitter/2/oauth2/token") == 1)
        #expect(server.provider.authorization.refusals.isEmpty)
        expectRefused(try await server.complete(answer, flow.sessionID, tenant))
        let again = try await server.begin("twitter.com", tenant)
        let back = try await server.complete(
            try await FakeAuthorizationServer.visit(again.authURI),
            again.sessionID,
            tenant.merging(["autoCreate": false])
        )
        #expect(try server.session(back).localID == session.localID)
    }

    @Test("refuses an app's own access token, of which nobody can tell for whom it is, unless the operator takes that risk")
    func clientTokens() async throws {
        let server = try await FlowServer.start()
        server.provider.apps.grant(.init(app: "anybody", token: "bearer", profile: profile), at: "twitter")
        let form = [("access_token", "bearer")]
        expectRefused(try await server.signIn("twitter.com", form: form, tenant))
        #expect(server.provider.count("/twitter/2/users/me") == 0)
        let open: JSONValue = ["tenantId": "xopen"]
        let answer = try await server.signIn("twitter.com", form: form, open)
        _ = try server.session(answer)
        #expect(answer["federatedId"] == "42")
        #expect(answer["oauthAccessToken"] == "bearer")
        expectRefused(try await server.signIn("twitter.com", form: [("access_token", "made-up")], open))
        expectRefused(try await server.signIn("twitter.com", form: [], open), "INVALID_CREDENTIAL_OR_PROVIDER_ID : ")
        // With OAuth 1.0a, a token without its secret is not a credential.
        expectRefused(try await server.signIn("twitter.com", form: form), "INVALID_CREDENTIAL_OR_PROVIDER_ID : ")
    }

    @Test("refuses profiles that name nobody, and lives without an address")
    func profiles() async throws {
        let server = try await FlowServer.start()
        for damage: JSONValue in [["id": 42], ["id": ""], ["id": .null]] {
            server.provider.authorization.setProfile(profile.merging(damage))
            let flow = try await server.begin("twitter.com", tenant)
            let answer = try await FakeAuthorizationServer.visit(flow.authURI)
            expectRefused(try await server.complete(answer, flow.sessionID, tenant))
        }
        server.provider.authorization.setProfile(["id": "7", "name": "Bob", "username": "bob"])
        let flow = try await server.begin("twitter.com", tenant)
        let answer = try await FakeAuthorizationServer.visit(flow.authURI)
        let result = try await server.complete(answer, flow.sessionID, tenant)
        _ = try server.session(result)
        #expect(result["email"] == nil)
        #expect(result["screenName"] == "bob")
    }
}
