import Project
import Storage
import TestKit
import Testing

@testable import Server

// Ruling 41: the address that a way back restores has a proven owner by then, who is the account's owner again.
extension WayBackTests {
    private static let thief = "thief@evil.example"

    /// What a thief did with the address.
    enum Theft: String, CaseIterable, CustomTestStringConvertible {
        case moved, removed

        var testDescription: String { rawValue }
    }

    /// An account that was stolen, after which its owner signed in again.
    private struct Lost {
        let localID: String
        /// The owner's recovery code.
        let recover: JSONValue
        /// The owner's new account, which has the address.
        let new: TestServer.Session
        /// Whether something of the thief's still opens the old account, by name.
        let opens: [String: @Sendable () async throws -> Bool]
    }

    private func lost(_ theft: Theft, _ server: TestServer, _ smtp: SMTPServer) async throws -> Lost {
        let owner = try await server.verifiedUser(Self.owner)
        server.clock.advance(by: .seconds(1))
        var thief = owner
        var opens: [String: @Sendable () async throws -> Bool] = [:]
        switch theft {
        case .moved:
            let change = try await server.code("VERIFY_AND_CHANGE_EMAIL", owner.token.merging(["newEmail": .string(Self.thief)]))
            #expect(try await server.call("update", ["oobCode": .string(change)])["newEmail"] == .string(Self.thief))
            thief = try server.session(try await server.signIn(Self.thief))
        case .removed:
            #expect(try await server.call("update", owner.token.merging(["deleteAttribute": ["EMAIL"]])).status == 200)
        }
        let recover = try await message(1, of: smtp).code
        let ground = PlantingGround(server: server, account: thief, email: Self.thief)
        _ = try await ground.linkProvider()
        let passkey = SoftwareAuthenticator()
        #expect(try await ground.register(passkey, ground.passkeyChallenge()).status == 200)
        opens["provider"] = { try await ground.opens(server.signIn("oidc.other", ground.otherToken())) }
        opens["passkey"] = { try await ground.signIn(passkey) }
        try await ground.linkPhone()
        opens["phone"] = {
            let sent = try await server.sendCode(TestServer.testNumber)
            return try await ground.opens(server.signInWithPhone(sent["sessionInfo"], TestServer.testNumberCode))
        }
        if theft == .moved {
            let mail: JSONValue = ["email": .string(Self.thief)]
            let reset = try await server.code("PASSWORD_RESET", mail)
            let link = try await server.code("EMAIL_SIGNIN", mail.merging(["continueUrl": "https://app.example.com/"]))
            opens["reset"] = {
                try await server.call("resetPassword", ["oobCode": .string(reset), "newPassword": "secret-3"]).status == 200
            }
            opens["link"] = {
                let body: JSONValue = ["email": .string(Self.thief), "oobCode": .string(link)]
                return try await ground.opens(server.call("signInWithEmailLink", body))
            }
            let later: JSONValue = ["idToken": .string(thief.idToken), "newEmail": "later@evil.example"]
            let change = try await server.code("VERIFY_AND_CHANGE_EMAIL", later)
            opens["change"] = { try await server.call("update", ["oobCode": .string(change)]).status == 200 }
            opens["password"] = { try await ground.opens(server.signIn(Self.thief)) }
        }
        let refreshToken = thief.refreshToken
        opens["session"] = { try await server.refresh(refreshToken).status == 200 }
        // The owner signs in again, and has a new account.
        let google = try await server.signIn("google.com", server.googleToken("owner", TestServer.email(Self.owner)))
        let new = try server.session(google)
        #expect(new.localID != owner.localID)
        return Lost(localID: owner.localID, recover: recover, new: new, opens: opens)
    }

    @Test(
        "the code ends what a thief has, keeps the account without a way in, and restores the address once it is free (LNK-19)",
        arguments: Engine.allCases,
        Theft.allCases
    )
    func heldAddress(engine: Engine, theft: Theft) async throws {
        let (server, smtp) = try await start(on: engine)
        let lost = try await lost(theft, server, smtp)
        for (name, opens) in lost.opens where name == "session" { #expect(try await opens()) }
        #expect(try await server.call("update", ["oobCode": lost.recover]).errorMessage == "EMAIL_EXISTS")
        for (name, opens) in lost.opens { #expect(try await !opens(), "\(name)") }
        let user = try #require(try await server.user(lost.localID))
        #expect(user["email"] == nil && user["passkeyInfo"] == nil, "\(user)")
        #expect(user["providerUserInfo"]?.array?.isEmpty != false, "\(user)")
        #expect(try await server.codes("PASSWORD_RESET", to: Self.thief) == 0)
        // The new account is the owner's, and stays untouched.
        #expect(try await server.account(lost.new)["email"] == .string(Self.owner))
        #expect(try await server.refresh(lost.new.refreshToken).status == 200)
        let trail = try await server.core.database.read { transaction in
            try transaction.query("SELECT detail FROM audit_events WHERE event = 'secureAccount'")
                .map { try $0.text("detail") }
        }
        #expect(trail.count == 1 && trail[0].contains("\"heldBy\":\"\(lost.new.localID)\""), "\(trail)")
        #expect(trail[0].contains("\"addressRestored\":false") && trail[0].contains("\"remains\""), "\(trail)")

        // Days later the owner has deleted the new account.
        server.clock.advance(by: .seconds(86_400))
        #expect(try await server.call("update", ["oobCode": lost.recover]).errorMessage == "EMAIL_EXISTS")
        #expect(try await server.callAsAdmin("delete", ["localId": .string(lost.new.localID)]).status == 200)
        let restored = try await server.call("update", ["oobCode": lost.recover])
        #expect(restored["email"] == .string(Self.owner) && restored["emailVerified"] == true, "\(restored.json)")
        // The owner's password is older than the theft, and the code is used up now.
        #expect(try server.session(try await server.signIn(Self.owner)).localID == lost.localID)
        #expect(try await server.call("update", ["oobCode": lost.recover]).errorMessage == "INVALID_OOB_CODE")
        for (name, opens) in lost.opens { #expect(try await !opens(), "\(name)") }
    }

    @Test("a second use ends only what came after the first", arguments: Engine.allCases, [0, 60])
    func secondUse(engine: Engine, seconds: Int) async throws {
        let (server, smtp) = try await start(on: engine)
        let owner = try await server.verifiedUser(Self.owner)
        // A way in of the owner's own.
        let claims = try server.oidcToken("own")
        #expect(try await server.signIn("oidc.test", claims, owner.token).status == 200)
        _ = try await message(1, of: smtp)
        try await server.forgetCodes("RECOVER_EMAIL")
        server.clock.advance(by: .seconds(6))
        let move: JSONValue = ["idToken": .string(owner.idToken), "newEmail": .string(Self.thief)]
        let change = try await server.code("VERIFY_AND_CHANGE_EMAIL", move)
        #expect(try await server.call("update", ["oobCode": .string(change)]).status == 200)
        let recover = try await message(2, of: smtp).code
        let google = try await server.signIn("google.com", server.googleToken("owner", TestServer.email(Self.owner)))
        let new = try server.session(google)
        #expect(try await server.call("update", ["oobCode": recover]).errorMessage == "EMAIL_EXISTS")
        server.clock.advance(by: .seconds(seconds))
        // The account's own way in is older than the theft, and whoever has it adds another one.
        let again = try server.session(try await server.signIn("oidc.test", server.oidcToken("own")))
        #expect(again.localID == owner.localID)
        let ground = PlantingGround(server: server, account: again, email: Self.owner)
        _ = try await ground.linkProvider()
        #expect(try await server.call("update", ["oobCode": recover]).errorMessage == "EMAIL_EXISTS")
        #expect(try await server.refresh(again.refreshToken).status == 400)
        let left = try #require(try await server.user(owner.localID))
        #expect(left["providerUserInfo"]?.array?.compactMap { $0["providerId"] } == ["oidc.test"], "\(left)")
        #expect(try await server.callAsAdmin("delete", ["localId": .string(new.localID)]).status == 200)
        #expect(try await server.call("update", ["oobCode": recover])["email"] == .string(Self.owner))
        #expect(try server.session(try await server.signIn(Self.owner)).localID == owner.localID)
    }

    @Test("the page says what was ended, and what remains to be done")
    func heldPage() async throws {
        let (server, smtp) = try await start()
        let lost = try await lost(.moved, server, smtp)
        let parameters = [
            ("mode", "recoverEmail"), ("oobCode", lost.recover.string ?? ""), ("apiKey", TestServer.apiKey), ("lang", "en"),
        ]
        let page = try await server.visit(action: parameters)
        let answer = try await server.submit(page)
        #expect(answer.status == 400)
        #expect(answer.title == "Your account is secured, but your address is not restored yet")
        #expect(answer.html.contains("Delete that other account or give it another address"))
        for (name, opens) in lost.opens { #expect(try await !opens(), "\(name)") }
    }

    @Test(
        "a password as old as the account stays with its owner, however fast all of it happens (OPS-11)",
        arguments: Engine.allCases,
        [0, 1, 3]
    )
    func ownPassword(engine: Engine, seconds: Int) async throws {
        let (server, smtp) = try await start(on: engine)
        let owner = try await server.verifiedUser(Self.owner)
        server.clock.advance(by: .seconds(seconds))
        let move: JSONValue = ["idToken": .string(owner.idToken), "newEmail": .string(Self.thief)]
        let change = try await server.code("VERIFY_AND_CHANGE_EMAIL", move)
        #expect(try await server.call("update", ["oobCode": .string(change)]).status == 200)
        let recover = try await message(1, of: smtp).code
        #expect(try await server.call("update", ["oobCode": recover])["email"] == .string(Self.owner))
        #expect(try server.session(try await server.signIn(Self.owner)).localID == owner.localID)
    }

    @Test("a way in that is older than the proof of the left address stays, too, and a later password goes (OPS-11)")
    func ownWays() async throws {
        let (server, smtp) = try await start()
        let session = try await server.signUp(Self.owner)
        #expect(try await server.signIn("oidc.test", server.oidcToken("own"), session.token).status == 200)
        server.clock.advance(by: .seconds(1))
        let verify = try await server.code("VERIFY_EMAIL", session.token)
        #expect(try await server.call("update", ["oobCode": .string(verify)]).status == 200)
        let change = try await server.code("VERIFY_AND_CHANGE_EMAIL", session.token.merging(["newEmail": .string(Self.thief)]))
        #expect(try await server.call("update", ["oobCode": .string(change)]).status == 200)
        let recover = try await message(1, of: smtp).code
        // In the same millisecond.
        let reset = try await server.code("PASSWORD_RESET", ["email": .string(Self.thief)])
        #expect(try await server.call("resetPassword", ["oobCode": .string(reset), "newPassword": "of the thief"]).status == 200)
        #expect(try await server.call("update", ["oobCode": recover])["email"] == .string(Self.owner))
        let user = try #require(try await server.user(session.localID))
        #expect(user["providerUserInfo"]?.array?.compactMap { $0["providerId"] } == ["oidc.test"], "\(user)")
        #expect(try await server.signIn(Self.owner, password: "of the thief").status == 400)
    }
}
