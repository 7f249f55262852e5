import Foundation
import Project
import TestKit
import Testing

@Suite("Every provider, from beginning to end", .teardown, .timeLimit(.minutes(15)))
struct ProviderFlowTests {
    private func link(_ session: TestServer.Session) -> JSONValue { session.token }

    @Test("signs in, and says who it is", arguments: FlowProvider.all)
    func signIn(provider: FlowProvider) async throws {
        let server = try await FlowServer.start()
        provider.enter(server)
        let answer = try await server.signInByFlow(provider.providerID)
        let session = try server.session(answer)
        try provider.expect(answer)
        #expect(answer["isNewUser"] == true)
        #expect(answer["context"] == "")
        #expect(answer["needConfirmation"] == nil)
        let account = try await server.account(session)
        #expect(account["displayName"] == "Ada Lovelace")
        #expect(account["email"] == answer["email"])
        #expect(account["emailVerified"]?.bool == provider.isEmailVerified)
        let entry = try await server.entry(provider.providerID, of: session)
        #expect(entry["rawId"]?.string == provider.rawID)
        #expect(entry["federatedId"]?.string == provider.rawID)
        #expect(entry["screenName"] == provider.members["screenName"])
        let again = try await server.signInByFlow(provider.providerID, ["returnRefreshToken": true])
        #expect(try server.session(again).localID == session.localID)
        #expect(again["isNewUser"] == false)
        #expect((again["oauthRefreshToken"] != nil) == (provider.providerID != "twitter.com"))
        #expect(server.provider.authorization.refusals.isEmpty)
    }

    @Test("links to an account, and to one only; the credential that was refused signs in once", arguments: FlowProvider.all)
    func linking(provider: FlowProvider) async throws {
        let server = try await FlowServer.start()
        provider.enter(server)
        let anonymous = try server.session(try await server.call("signUp", [:]))
        let linked = try await server.signInByFlow(provider.providerID, link(anonymous))
        #expect(try server.session(linked).localID == anonymous.localID)
        try provider.expect(linked)
        #expect(linked["isNewUser"] == false)
        #expect(try await server.entry(provider.providerID, of: anonymous)["rawId"]?.string == provider.rawID)
        let other = try server.session(try await server.call("signUp", [:]))
        let body = link(other).merging(["returnIdpCredential": true])
        let taken = try await server.signInByFlow(provider.providerID, body)
        #expect(taken.status == 200)
        #expect(taken["errorMessage"] == "FEDERATED_USER_ID_ALREADY_LINKED")
        #expect(taken["localId"] == nil)
        #expect(taken["idToken"] == nil)
        try provider.expect(taken)
        let pending: JSONValue = [
            "requestUri": "http://localhost", "postBody": .string("providerId=\(provider.providerID)"),
            "pendingToken": try #require(taken["pendingToken"]), "returnIdpCredential": true,
        ]
        let moved = try await server.call("signInWithIdp", pending)
        #expect(try server.session(moved).localID == anonymous.localID)
        let replayed = try await server.call("signInWithIdp", pending)
        #expect(replayed.status == 400)
        #expect(replayed["idToken"] == nil)
        let plain = try await server.signInByFlow(provider.providerID, link(other))
        expectRefused(plain, "FEDERATED_USER_ID_ALREADY_LINKED")
    }

    @Test("reauthenticates whom it knows, and makes nobody", arguments: FlowProvider.all)
    func reauthentication(provider: FlowProvider) async throws {
        let server = try await FlowServer.start()
        provider.enter(server)
        let noAccount: JSONValue = ["autoCreate": false]
        expectRefused(try await server.signInByFlow(provider.providerID, noAccount), "USER_NOT_FOUND")
        let asResult = try await server.signInByFlow(provider.providerID, ["autoCreate": false, "returnIdpCredential": true])
        #expect(asResult.status == 200)
        #expect(asResult["errorMessage"] == "USER_NOT_FOUND")
        let session = try server.session(try await server.signInByFlow(provider.providerID))
        server.clock.advance(by: .seconds(400))
        let again = try await server.signInByFlow(provider.providerID, noAccount)
        let fresh = try server.session(again)
        #expect(fresh.localID == session.localID)
        #expect(again["isNewUser"] == false)
        // The new session is fresh enough for operations that require a recent sign-in.
        #expect(try await server.call("delete", session.token).status == 400)
        #expect(try await server.call("delete", fresh.token).status == 200)
    }

    @Test("meets an account of the same address: a checked one joins, any other asks first", arguments: FlowProvider.all)
    func collision(provider: FlowProvider) async throws {
        let server = try await FlowServer.start()
        let email = try #require(provider.members["email"])
        let authorization = server.provider.authorization
        authorization.setUser(["sub": "owner", "email": email, "email_verified": true])
        let owner = try server.session(try await server.signInByFlow("oidc.code"))
        provider.enter(server)
        let answer = try await server.signInByFlow(provider.providerID)
        try provider.expect(answer)
        guard !provider.isEmailVerified else {
            #expect(try server.session(answer).localID == owner.localID)
            #expect(answer["isNewUser"] == false)
            return
        }
        #expect(answer.status == 200)
        #expect(answer["needConfirmation"] == true)
        // Whose account has the address is not told.
        #expect(answer["localId"] == nil)
        #expect(answer["verifiedProvider"] == ["oidc.code"])
        #expect(answer["idToken"] == nil)
        #expect(try await server.account(owner)["providerUserInfo"]?.array?.count == 1)
        // As the SDKs do: sign in with the existing provider, and link the pending credential.
        authorization.setUser(["sub": "owner", "email": email, "email_verified": true])
        authorization.setAnswerParameters([])
        let existing = try server.session(try await server.signInByFlow("oidc.code"))
        let pending: JSONValue = ["requestUri": "http://localhost", "pendingToken": try #require(answer["pendingToken"])]
        let linked = try await server.call("signInWithIdp", pending.merging(link(existing)))
        #expect(try server.session(linked).localID == owner.localID)
        #expect(linked["screenName"] == provider.members["screenName"])
        provider.enter(server)
        #expect(try server.session(try await server.signInByFlow(provider.providerID)).localID == owner.localID)
    }

    @Test("goes through the web handler, with the answer out of sight", arguments: FlowProvider.all)
    func webHandler(provider: FlowProvider) async throws {
        let server = try await FlowServer.start()
        provider.enter(server)
        var browser = HandlerBrowser(server: server)
        let start = HandlerBrowser.web("signInViaPopup", provider.providerID, eventID: "1234567890")
        let answer = try await browser.consent(start)
        #expect(answer.redirectURI.hasSuffix("/__/auth/handler"))
        let page = try await browser.carry(answer)
        #expect(page.status == 200)
        #expect(page.event["eventId"] == "1234567890")
        #expect(page.event["error"] == nil || page.event["error"] == .null)
        let url = try #require(page.event["urlResponse"]?.string)
        for secret in ["code=", "id_token=", "oauth_verifier=", "user="] { #expect(!url.contains(secret)) }
        let result = try await server.signIn(event: page.event)
        _ = try server.session(result)
        try provider.expect(result)
        expectRefused(try await server.signIn(event: page.event))
        #expect(try await browser.carry(answer).status == 400)
        #expect(server.provider.authorization.refusals.isEmpty)
    }

    @Test("returns to an iOS app, whose session id alone completes the flow", arguments: FlowProvider.all)
    func nativeHandler(provider: FlowProvider) async throws {
        let server = try await FlowServer.start()
        provider.enter(server)
        var browser = HandlerBrowser(server: server)
        let answer = try await browser.consent(HandlerBrowser.ios(provider.providerID))
        let callback = try #require(try await browser.carry(answer).iosCallback)
        let body: JSONValue = [
            "requestUri": .string(try #require(callback.parameters["link"])),
            "postBody": .string("providerId=\(provider.providerID)"), "returnIdpCredential": true, "autoCreate": true,
        ]
        let hash = hexadecimal(sha256(HandlerBrowser.rawSession.utf8))
        expectRefused(try await server.call("signInWithIdp", body.merging(["sessionId": .string(hash)])))
        let result = try await server.call("signInWithIdp", body.merging(["sessionId": .string(HandlerBrowser.rawSession)]))
        _ = try server.session(result)
        try provider.expect(result)
    }

    @Test("that is down, or slow to say who it is, refuses and leaves nothing behind", arguments: FlowProvider.all)
    func outage(provider: FlowProvider) async throws {
        let server = try await FlowServer.start()
        provider.enter(server)
        let flow = try await server.begin(provider.providerID)
        let answer = try await FakeAuthorizationServer.visit(flow.authURI)
        let paths = [
            "google.com": "/google/token", "apple.com": "/apple/auth/token", "twitter.com": "/twitter/oauth/access_token",
            "facebook.com": "/facebook/v23.0/oauth/access_token", "github.com": "/github/login/oauth/access_token",
            "microsoft.com": "/microsoft/common/oauth2/v2.0/token", "yahoo.com": "/yahoo/token",
            "linkedin.com": "/linkedin/token", "discord.com": "/discord/api/oauth2/token",
        ]
        let path = try #require(paths[provider.providerID])
        server.provider.setFault(.status(503), at: path)
        let refused = try await server.complete(answer, flow.sessionID)
        expectRefused(refused)
        #expect(server.provider.count(path) == 1)
        server.provider.setFault(nil, at: path)
        // The code may have been used, so the flow has ended and the app begins again.
        expectRefused(try await server.complete(answer, flow.sessionID))
        _ = try server.session(try await server.signInByFlow(provider.providerID))
    }
}
