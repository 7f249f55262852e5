import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("Whose account a sign-in belongs to", .teardown, .timeLimit(.minutes(15)))
struct AccountDecisionTests {
    @Test("a verified e-mail takes over a verified account and links to it", arguments: Engine.allCases)
    func verifiedLinks(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let first = try server.session(
            try await server.signIn("google.com", try server.googleToken("g", TestServer.email("a@b.c")))
        )
        let profile: JSONValue = ["name": "New Name"]
        let token = try server.oidcToken("o", profile.merging(TestServer.email("A@B.C")))
        let answer = try await server.signIn("oidc.test", token)
        let second = try server.session(answer)
        #expect(second.localID == first.localID)
        #expect(answer["isNewUser"] == false)
        #expect(answer["emailRecycled"] == nil)
        let account = try await server.account(second)
        #expect(account["providerUserInfo"]?.array?.compactMap { $0["providerId"]?.string } == ["google.com", "oidc.test"])
        #expect(account["displayName"] == "New Name")
        #expect(try await server.refresh(first.refreshToken).status == 200)
    }

    @Test("a verified e-mail replaces another identity of the same provider", arguments: Engine.allCases)
    func recycled(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let first = try server.session(
            try await server.signIn("oidc.test", try server.oidcToken("old", TestServer.email("a@b.c")))
        )
        let answer = try await server.signIn("oidc.test", try server.oidcToken("new", TestServer.email("a@b.c")))
        let second = try server.session(answer)
        #expect(second.localID == first.localID)
        #expect(answer["emailRecycled"] == true)
        #expect(try await server.account(second)["providerUserInfo"]?.array?.count == 1)
        #expect(try await server.account(second)["providerUserInfo"]?[0]?["rawId"] == "new")
    }

    @Test("a verified e-mail ends everything that somebody planted under it without proof", arguments: Engine.allCases)
    func unprovenOwner(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let planted = try server.session(
            try await server.signIn(
                "oidc.test",
                try server.oidcToken("attacker", TestServer.email("victim@b.c", verified: false))
            )
        )
        server.clock.advance(by: .seconds(10))
        let victim = try server.session(
            try await server.signIn("google.com", try server.googleToken("g", TestServer.email("victim@b.c")))
        )
        #expect(victim.localID == planted.localID)
        let account = try await server.account(victim)
        #expect(account["providerUserInfo"]?.array?.compactMap { $0["providerId"]?.string } == ["google.com"])
        #expect(account["emailVerified"] == true)
        #expect(account["validSince"]?.string == String(server.clock.now.seconds))
        #expect(try await server.refresh(planted.refreshToken).errorMessage == "TOKEN_EXPIRED")
        #expect(try await server.call("lookup", planted.token).errorMessage == "TOKEN_EXPIRED")
        #expect(try await server.refresh(victim.refreshToken).status == 200)
        // The attacker's identity is unlinked, and does not lead to the victim's account.
        let again = try await server.signIn(
            "oidc.test",
            try server.oidcToken("attacker", TestServer.email("victim@b.c", verified: false))
        )
        #expect(again["needConfirmation"] == true)
        #expect(again["idToken"] == nil)
    }

    @Test("linking adds an identity to the signed-in account and leaves its profile alone", arguments: Engine.allCases)
    func link(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let anonymous = try server.session(try await server.call("signUp", [:]))
        #expect(try payload(anonymous)["provider_id"] == "anonymous")
        let token = try server.oidcToken("o", TestServer.email("a@b.c").merging(["name": "Other"]))
        let answer = try await server.signIn("oidc.test", token, anonymous.token)
        let linked = try server.session(answer)
        #expect(linked.localID == anonymous.localID)
        #expect(answer["isNewUser"] == false)
        #expect(try payload(linked)["firebase"]?["sign_in_provider"] == "oidc.test")
        #expect(try payload(linked)["provider_id"] == nil)
        let account = try await server.account(linked)
        #expect(account["email"] == "a@b.c")
        #expect(account["emailVerified"] == true)
        #expect(account["displayName"] == nil)
    }

    @Test(
        "linking is refused for an identity or an e-mail of another account, and as a 200 on request",
        arguments: Engine.allCases
    )
    func linkConflicts(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let owner = try server.session(try await server.signIn("oidc.test", try server.oidcToken("o", TestServer.email("a@b.c"))))
        let other = try server.session(try await server.call("signUp", [:]))
        let conflicts = [
            ("FEDERATED_USER_ID_ALREADY_LINKED", "oidc.test", try server.oidcToken("o"), other),
            ("FEDERATED_USER_ID_ALREADY_LINKED", "oidc.test", try server.oidcToken("o"), owner),
            ("EMAIL_EXISTS", "google.com", try server.googleToken("g", TestServer.email("a@b.c")), other),
        ]
        for (code, provider, token, session) in conflicts {
            let link = session.token
            #expect(try await server.signIn(provider, token, link).errorMessage == code)
            let answer = try await server.signIn(provider, token, link.merging(["returnIdpCredential": true]))
            #expect(answer.status == 200)
            #expect(answer["errorMessage"]?.string == code)
            #expect(answer["providerId"]?.string == provider)
            #expect(answer["oauthIdToken"]?.string == token)
            #expect(answer["pendingToken"] != nil)
            for absent in ["idToken", "refreshToken", "localId", "needConfirmation"] { #expect(answer[absent] == nil) }
        }
        #expect(try await server.account(other)["providerUserInfo"] == nil)
    }

    @Test("a credential that a refused link carried can still be used to sign in", arguments: Engine.allCases)
    func conflictThenSignIn(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let nonce: JSONValue = ["nonce": .string(hexadecimal(sha256("n".utf8)))]
        let owner = try server.session(try await server.signIn("apple.com", try server.appleToken("a")))
        let other = try server.session(try await server.call("signUp", [:]))
        let token = try server.appleToken("a", nonce)
        let refused = try await server.signIn("apple.com", token, nonce: "n", other.token)
        #expect(refused.errorMessage == "FEDERATED_USER_ID_ALREADY_LINKED")
        #expect(try server.session(try await server.signIn("apple.com", token, nonce: "n")).localID == owner.localID)
    }

    @Test("reauthentication signs the same user in again and creates nobody", arguments: Engine.allCases)
    func reauthentication(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let first = try server.session(try await server.signIn("oidc.test", try server.oidcToken("u")))
        server.clock.advance(by: .seconds(400))
        let again = try server.session(try await server.signIn("oidc.test", try server.oidcToken("u"), ["autoCreate": false]))
        #expect(again.localID == first.localID)
        #expect(try payload(again)["auth_time"]?.integer == server.clock.now.seconds)
        let unknown = try await server.signIn("oidc.test", try server.oidcToken("stranger"), ["autoCreate": false])
        #expect(unknown.errorMessage == "USER_NOT_FOUND")
        let asResult = try await server.signIn(
            "oidc.test",
            try server.oidcToken("stranger"),
            ["autoCreate": false, "returnIdpCredential": true]
        )
        #expect(asResult.status == 200)
        #expect(asResult["errorMessage"] == "USER_NOT_FOUND")
    }

    @Test("development makes the account whatever autoCreate says, as the emulator does")
    func developmentCreates() async throws {
        let server = try await TestServer.start(mode: .development)
        let answer = try await server.signIn("oidc.test", try server.oidcToken("stranger"), ["autoCreate": false])
        #expect(answer["isNewUser"] == true)
        _ = try server.session(answer)
    }

    @Test("the same subject at two providers is two users", arguments: Engine.allCases)
    func sameSubject(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let one = try server.session(try await server.signIn("oidc.test", try server.oidcToken("same")))
        let token = try server.provider.token(server.claims("other", "other-client", "same"))
        let two = try server.session(try await server.signIn("oidc.other", token))
        #expect(one.localID != two.localID)
    }

    @Test("with several accounts per e-mail, the address stays with the identity")
    func duplicateEmails() async throws {
        let project = { (provider: FakeIDP) in
            """
            config: {signIn: {allowDuplicateEmails: true, anonymous: {enabled: false}}}
            defaultSupportedIdpConfigs: {google.com: {enabled: true, clientId: google-client}}
            oauthIdpConfigs: {oidc.test: {enabled: true, clientId: oidc-client, issuer: "\(provider.issuer("oidc"))"}}
            """
        }
        let server = try await TestServer.start(project: project)
        let one = try server.session(
            try await server.signIn("google.com", try server.googleToken("g", TestServer.email("a@b.c")))
        )
        let two = try server.session(try await server.signIn("oidc.test", try server.oidcToken("o", TestServer.email("a@b.c"))))
        #expect(one.localID != two.localID)
        let account = try await server.account(two)
        #expect(account["email"] == nil)
        #expect(account["providerUserInfo"]?[0]?["email"] == "a@b.c")
        #expect(try await server.call("signUp", [:]).errorMessage == "ADMIN_ONLY_OPERATION")
    }

    @Test("when end users may not create accounts, no method creates one")
    func permissions() async throws {
        let project = { (provider: FakeIDP) in
            """
            config: {client: {permissions: {disabledUserSignup: true, disabledUserDeletion: true}}, signIn: {anonymous: {enabled: true}}}
            oauthIdpConfigs: {oidc.test: {enabled: true, clientId: oidc-client, issuer: "\(provider.issuer("oidc"))"}}
            """
        }
        let server = try await TestServer.start(project: project)
        let refused = [try await server.signIn("oidc.test", try server.oidcToken()), try await server.call("signUp", [:])]
        for answer in refused { #expect(answer.errorMessage == "ADMIN_ONLY_OPERATION") }
    }

    @Test("a disabled user gets in by no door", arguments: Engine.allCases)
    func disabled(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let email = TestServer.email("a@b.c")
        let session = try server.session(try await server.signIn("oidc.test", try server.oidcToken("o", email)))
        let id: JSONValue = .string(session.localID)
        #expect(try await server.callAsAdmin("update", ["localId": id, "disableUser": true]).status == 200)
        let token: JSONValue = .string(session.idToken)
        var answers = [
            try await server.signIn("oidc.test", try server.oidcToken("o", email)),
            try await server.signIn("google.com", try server.googleToken("g", email)),
            try await server.signIn("google.com", try server.googleToken("g2"), ["idToken": token]),
            try await server.refresh(session.refreshToken),
        ]
        for method in ["lookup", "update", "delete"] { answers.append(try await server.call(method, ["idToken": token])) }
        for answer in answers { #expect(answer.errorMessage == "USER_DISABLED") }
        #expect(try await server.callAsAdmin("update", ["localId": id, "disableUser": false]).status == 200)
        #expect(try await server.refresh(session.refreshToken).errorMessage == "TOKEN_EXPIRED")
        #expect(try await server.signIn("oidc.test", try server.oidcToken("o", email)).status == 200)
    }

    @Test("a hundred racing first sign-ins of one identity end in one account", arguments: Engine.allCases)
    func race(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let token = try server.oidcToken("racer", TestServer.email("race@b.c"))
        let answers = try await withThrowingTaskGroup(of: TestClient.Answer.self) { tasks in
            for _ in 0..<100 { tasks.addTask { try await server.signIn("oidc.test", token) } }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.status == 200 })
        #expect(Set(answers.compactMap { $0["localId"]?.string }).count == 1)
        #expect(answers.filter { $0["isNewUser"] == true }.count == 1)
        let count = try await server.core.database.read {
            try $0.query("SELECT COUNT(*) AS n FROM accounts")[0].integer("n")
        }
        #expect(count == 1)
    }
}
