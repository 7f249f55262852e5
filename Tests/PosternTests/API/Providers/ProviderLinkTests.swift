import Foundation
import Project
import TestKit
import Testing

@Suite("Several providers of one person", .teardown, .timeLimit(.minutes(15)))
struct ProviderLinkTests {
    private let facebook = AccessTokenProvider.all[0]
    private let twitter = AccessTokenProvider.all[4]

    private func link(_ session: TestServer.Session) -> JSONValue { session.token }

    @Test("Facebook is linked to a user of Apple, whose private address stays", arguments: Engine.allCases)
    func facebookToApple(engine: Engine) async throws {
        let server = try await TestServer.startWithProviders(on: engine)
        let relay = "x7k@privaterelay.appleid.com"
        let token = try server.appleToken("a", TestServer.email(relay).merging(["is_private_email": "true"]))
        let apple = try server.session(try await server.signIn("apple.com", token))
        server.provider.apps.grant(facebook.grant(), at: "facebook")
        // The same person at Facebook is another user until the accounts are linked.
        let stranger = try server.session(try await server.signIn("facebook.com", form: facebook.form()))
        #expect(stranger.localID != apple.localID)
        let taken = try await server.signIn("facebook.com", form: facebook.form(), link(apple))
        #expect(taken.errorMessage == "FEDERATED_USER_ID_ALREADY_LINKED")
        #expect(try await server.call("delete", stranger.token).status == 200)
        let linked = try server.session(try await server.signIn("facebook.com", form: facebook.form(), link(apple)))
        #expect(linked.localID == apple.localID)
        let account = try await server.account(linked)
        #expect(account["email"]?.string == relay)
        #expect(account["emailVerified"] == true)
        #expect(try await server.entry("facebook.com", of: linked)["email"] == "ada@example.com")
        let back = try server.session(try await server.signIn("facebook.com", form: facebook.form()))
        #expect(back.localID == apple.localID)
    }

    @Test("Twitter collides with an address, and is linked with the pending credential", arguments: Engine.allCases)
    func twitterCollision(engine: Engine) async throws {
        let server = try await TestServer.startWithProviders(on: engine)
        let email = TestServer.email("ada@example.com")
        let google = try server.session(try await server.signIn("google.com", try server.googleToken("g", email)))
        server.provider.apps.grant(twitter.grant(), at: "twitter")
        let refused = try await server.signIn("twitter.com", form: twitter.form())
        #expect(refused["needConfirmation"] == true)
        #expect(refused["verifiedProvider"] == ["google.com"])
        // Whose account has the address is not told (ENU-07).
        #expect(refused["localId"] == nil)
        #expect(refused["oauthTokenSecret"] == "token-secret")
        let pending = try #require(refused["pendingToken"])
        let existing = try server.session(try await server.signIn("google.com", try server.googleToken("g", email)))
        let body: JSONValue = ["requestUri": "http://localhost", "pendingToken": pending, "idToken": .string(existing.idToken)]
        let answer = try await server.call("signInWithIdp", body)
        let linked = try server.session(answer)
        #expect(linked.localID == google.localID)
        #expect(answer["oauthAccessToken"] == "token-1")
        #expect(answer["oauthTokenSecret"] == "token-secret")
        #expect(answer["screenName"] == "ada" && answer["username"] == "ada")
        let back = try await server.signIn("twitter.com", form: twitter.form())
        #expect(try server.session(back).localID == google.localID)
        #expect(try await server.entry("twitter.com", of: linked)["screenName"] == "ada")
    }

    @Test("a signature with another secret, or none, is Twitter's to refuse")
    func twitterSecrets() async throws {
        let server = try await TestServer.startWithProviders()
        server.provider.apps.grant(twitter.grant(), at: "twitter")
        let wrong = [("access_token", "token-1"), ("oauth_token_secret", "wrong")]
        expectRefused(try await server.signIn("twitter.com", form: wrong))
        let none = [("access_token", "token-1")]
        expectRefused(try await server.signIn("twitter.com", form: none), "INVALID_CREDENTIAL_OR_PROVIDER_ID : ")
        let odd = FakeApps.Grant(
            app: TestServer.app,
            token: "odd-~!*'()",
            tokenSecret: "s&=+%/ ü",
            profile: twitter.profile.merging(["email": ""])
        )
        server.provider.apps.grant(odd, at: "twitter")
        let form = [("access_token", "odd-~!*'()"), ("oauth_token_secret", "s&=+%/ ü")]
        let answer = try await server.signIn("twitter.com", form: form)
        _ = try server.session(answer)
        #expect(answer["email"] == nil)
    }

    @Test("linking takes a recent sign-in where the operator wants that, except to an anonymous account")
    func recentLogin() async throws {
        let server = try await TestServer.startWithProviders(environment: ["POSTERN_LIMITS_LINK_RECENT_LOGIN_SECONDS": "300"])
        let session = try server.session(try await server.signIn("oidc.test", try server.oidcToken("o")))
        let anonymous = try server.session(try await server.call("signUp", [:]))
        server.provider.apps.grant(facebook.grant(), at: "facebook")
        server.clock.advance(by: .seconds(301))
        // A refreshed token is new, but its sign-in is old.
        let fresh = try #require(try await server.refresh(session.refreshToken)["id_token"])
        for token in [.string(session.idToken), fresh] {
            let answer = try await server.signIn("facebook.com", form: facebook.form(), ["idToken": token])
            expectRefused(answer, "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
            let asResult = try await server.signIn(
                "facebook.com",
                form: facebook.form(),
                ["idToken": token, "returnIdpCredential": true]
            )
            expectRefused(asResult, "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
        }
        #expect(try await server.account(session)["providerUserInfo"]?.array?.count == 1)
        let again = try server.session(try await server.signIn("oidc.test", try server.oidcToken("o")))
        let linked = try server.session(try await server.signIn("facebook.com", form: facebook.form(), link(again)))
        #expect(linked.localID == session.localID)
        server.provider.apps.grant(twitter.grant("token-1", ["email": "other@example.com"]), at: "twitter")
        let upgraded = try await server.signIn("twitter.com", form: twitter.form(), link(anonymous))
        #expect(try server.session(upgraded).localID == anonymous.localID)
        expectRefused(try await server.signIn("twitter.com", form: twitter.form(), ["idToken": "forged"]), "INVALID_ID_TOKEN")
    }

    @Test("development verifies access tokens of configured providers, and takes claims at their word")
    func development() async throws {
        let server = try await TestServer.startWithProviders(mode: .development)
        server.provider.apps.grant(twitter.grant(), at: "twitter")
        let real = try await server.signIn("twitter.com", form: twitter.form())
        #expect(real["screenName"] == "ada")
        let claims = #"{"sub":"77x","screen_name":"bob"}"#
        let fake = try await server.signIn("twitter.com", form: [("access_token", claims), ("oauth_token_secret", "s")])
        #expect(fake["screenName"] == "bob")
        #expect(fake["oauthTokenSecret"] == "s")
        expectRefused(try await server.signIn("twitter.com", form: twitter.form("made-up")))
        // An opaque token of a provider without configuration cannot be read: not implemented, as in the emulator.
        for form in [twitter.form(), []] {
            let answer = try await server.signIn("twitter.com", form: form, ["tenantId": "closed"])
            #expect(answer.status == 501)
        }
        // The answer of a configured provider decides, also when it fails.
        server.provider.setFault(.status(500), at: "/facebook/me")
        server.provider.apps.grant(facebook.grant(), at: "facebook")
        expectRefused(try await server.signIn("facebook.com", form: facebook.form()))
    }
}
