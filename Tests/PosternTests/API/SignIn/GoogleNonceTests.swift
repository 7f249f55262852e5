import Foundation
import Project
import TestKit
import Testing

/// Ruling 37: libraries of Google invent nonces that Firebase's SDKs cannot pass on.
@Suite("An ID token of Google with a nonce that no app can show", .teardown, .timeLimit(.minutes(15)))
struct GoogleNonceTests {
    private static let duplicate = "MISSING_OR_INVALID_NONCE : Duplicate credential received."

    @Test("is accepted without it while it lives, and every other check holds", arguments: Engine.allCases)
    func native(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let nonce: JSONValue = ["nonce": "invented"]
        let token = try server.googleToken("g", nonce)
        let session = try server.session(try await server.signIn("google.com", token))
        #expect(try server.session(try await server.signIn("google.com", token)).localID == session.localID)
        expectRefused(try await server.signIn("google.com", token, nonce: "other"), "MISSING_OR_INVALID_NONCE : ")
        let foreign = try server.googleToken("g", nonce.merging(["aud": "another-app"]))
        expectRefused(try await server.signIn("google.com", foreign), "INVALID_IDP_RESPONSE : ")
        let stranger = try TestKey.rsa(kid: server.provider.key().kid)
        let forged = try stranger.token(claims: server.claims("google", TestServer.googleClient, "g", nonce))
        expectRefused(try await server.signIn("google.com", forged), "INVALID_IDP_RESPONSE : ")
        server.clock.advance(by: .seconds(700))
        expectRefused(try await server.signIn("google.com", token), "INVALID_IDP_RESPONSE : ")
    }

    @Test("is good for neither way once an app has shown it with its nonce (OID-09)", arguments: Engine.allCases)
    func shown(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let token = try server.googleToken("g", ["nonce": .string(hexadecimal(sha256("raw".utf8)))])
        _ = try server.session(try await server.signIn("google.com", token))
        _ = try server.session(try await server.signIn("google.com", token, nonce: "raw"))
        expectRefused(try await server.signIn("google.com", token, nonce: "raw"), Self.duplicate)
        expectRefused(try await server.signIn("google.com", token), Self.duplicate)
    }

    @Test("signs in after a link that was refused, as apps do after `credential-already-in-use`")
    func linkThenSignIn() async throws {
        let server = try await FlowServer.start()
        let claims = server.claims("google", "google-client", "g", ["nonce": "invented"])
        let token = try server.provider.token(claims)
        let owner = try server.session(try await server.signIn("google.com", token))
        let guest = try server.session(try await server.call("signUp", [:]))
        let body: JSONValue = ["idToken": .string(guest.idToken), "returnIdpCredential": true]
        let refused = try await server.signIn("google.com", token, body)
        #expect(refused["errorMessage"] == "FEDERATED_USER_ID_ALREADY_LINKED")
        #expect(try server.session(try await server.signIn("google.com", token)).localID == owner.localID)
    }

    @Test("is the only one: with every other provider the app must show the nonce")
    func others() async throws {
        let server = try await TestServer.startWithProviders()
        let nonce: JSONValue = ["nonce": "invented"]
        let directory = nonce.merging(["tid": "tenant-1"])
        for (provider, token) in [
            ("apple.com", try server.appleToken("u", nonce)), ("oidc.test", try server.oidcToken("u", nonce)),
            ("facebook.com", try server.providerToken("facebook-web", "u", nonce)),
            ("microsoft.com", try server.providerToken("microsoft/tenant-1/v2.0", "u", directory)),
            ("yahoo.com", try server.providerToken("yahoo", "u", nonce)),
            ("linkedin.com", try server.providerToken("linkedin", "u", nonce)),
            ("twitter.com", try server.providerToken("x", "u", nonce)),
        ] {
            expectRefused(try await server.signIn(provider, token), "MISSING_OR_INVALID_NONCE : ", provider)
            // Where a library invents the nonce and tells it, the app shows it as it is. Apple's must be hashed.
            let answer = try await server.signIn(provider, token, nonce: "invented")
            #expect(answer.status == (provider == "apple.com" ? 400 : 200), "\(provider)")
        }
    }

    // What the JavaScript SDK makes of an answer: `GoogleAuthProvider`, `FacebookAuthProvider`, `GithubAuthProvider` and
    // `TwitterAuthProvider` take the tokens alone, `OAuthProvider` a pending token where there is one.
    private func rebuilt(_ answer: TestClient.Answer) -> JSONValue {
        let providerID = answer["providerId"]?.string ?? ""
        let ofTokens = ["google.com", "facebook.com", "github.com", "twitter.com"].contains(providerID)
        var body: JSONValue = ["requestUri": "http://localhost", "returnIdpCredential": true]
        if !ofTokens, let token = answer["pendingToken"] {
            body["pendingToken"] = token
            return body
        }
        var pairs = [("providerId", providerID)]
        for (name, member) in [
            ("id_token", "oauthIdToken"), ("access_token", "oauthAccessToken"), ("oauth_token_secret", "oauthTokenSecret"),
        ] {
            if let value = answer[member]?.string { pairs.append((name, value)) }
        }
        if !ofTokens, let nonce = answer["nonce"]?.string { pairs.append(("nonce", nonce)) }
        body["postBody"] = .string(TestClient.encode(pairs))
        return body
    }

    @Test(
        "`reauthenticateWithCredential(credentialFromResult(r))` works after every provider's flow",
        arguments: FlowProvider.all
    )
    func reauthentication(provider: FlowProvider) async throws {
        let server = try await FlowServer.start()
        provider.enter(server)
        let result = try await server.signInByFlow(provider.providerID)
        let session = try server.session(result)
        let again = try await server.call("signInWithIdp", rebuilt(result).merging(["autoCreate": false]))
        #expect(try server.session(again).localID == session.localID)
    }

    @Test("`signInWithCredential(credentialFromError(e))` works after `credential-already-in-use`", arguments: FlowProvider.all)
    func takenCredential(provider: FlowProvider) async throws {
        let server = try await FlowServer.start()
        provider.enter(server)
        let owner = try server.session(try await server.signInByFlow(provider.providerID))
        let guest = try server.session(try await server.call("signUp", [:]))
        let link: JSONValue = ["idToken": .string(guest.idToken), "returnIdpCredential": true]
        let refused = try await server.signInByFlow(provider.providerID, link)
        #expect(refused["errorMessage"] == "FEDERATED_USER_ID_ALREADY_LINKED")
        #expect(try server.session(try await server.call("signInWithIdp", rebuilt(refused))).localID == owner.localID)
    }

    @Test("a flow's token is shown as often as an app likes, until an app shows the flow's nonce with it")
    func flow() async throws {
        let server = try await FlowServer.start()
        let result = try await server.signInByFlow("google.com")
        let token = try #require(result["oauthIdToken"]?.string)
        for _ in 0..<3 { _ = try server.session(try await server.signIn("google.com", token)) }
        let nonce = try #require(result["nonce"]?.string)
        _ = try server.session(try await server.signIn("google.com", token, nonce: nonce))
        expectRefused(try await server.signIn("google.com", token), Self.duplicate)
    }
}
