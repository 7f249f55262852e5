import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

extension WayBackTests {
    private static let thief = "thief@evil.example"

    /// An account whose session was stolen, and whose address the thief changed to their own.
    private struct Stolen {
        let localID: String
        /// The owner's recovery code.
        let recover: JSONValue
        let thief: TestServer.Session
    }

    private func stolen(_ server: TestServer, _ smtp: SMTPServer) async throws -> Stolen {
        let owner = try await server.verifiedUser(Self.owner)
        server.clock.advance(by: .seconds(1))
        let move: JSONValue = ["idToken": .string(owner.idToken), "newEmail": .string(Self.thief)]
        let change = try await server.code("VERIFY_AND_CHANGE_EMAIL", move)
        #expect(try await server.call("update", ["oobCode": .string(change)])["newEmail"] == .string(Self.thief))
        let recover = try await message(1, of: smtp).code
        let thief = try server.session(try await server.signIn(Self.thief))
        return Stolen(localID: owner.localID, recover: recover, thief: thief)
    }

    private func recover(_ stolen: Stolen, on server: TestServer) async throws {
        let answer = try await server.call("update", ["oobCode": stolen.recover])
        #expect(answer["email"] == .string(Self.owner) && answer["emailVerified"] == true, "\(answer.json)")
        #expect(answer["localId"] == .string(stolen.localID))
    }

    @Test(
        "a stranger who signs up with the freed address and deletes that account takes no way back with it",
        arguments: Engine.allCases
    )
    func deletedSquatter(engine: Engine) async throws {
        let (server, smtp) = try await start(on: engine)
        let stolen = try await stolen(server, smtp)
        let squatter = try await server.signUp(Self.owner)
        #expect(try await server.call("delete", squatter.token).status == 200)
        try await recover(stolen, on: server)
    }

    @Test("a way back of the thief's own address ends none of the owner's", arguments: Engine.allCases, [0, 1])
    func wayBackOfThief(engine: Engine, seconds: Int) async throws {
        let (server, smtp) = try await start(on: engine)
        let stolen = try await stolen(server, smtp)
        server.clock.advance(by: .seconds(seconds))
        _ = try await PlantingGround(server: server, account: stolen.thief, email: Self.thief).linkProvider()
        let own = try await message(2, of: smtp).code
        let used = try await server.call("update", ["oobCode": own])
        #expect(used["email"] == .string(Self.thief), "\(used.json)")
        try await recover(stolen, on: server)
        #expect(try await server.codes("RECOVER_EMAIL", to: Self.thief) == 0)
    }

    @Test(
        "after the owner secured the account, a factor that was added before can still be taken back",
        arguments: Engine.allCases
    )
    func factorAfterRecovery(engine: Engine) async throws {
        let (server, smtp) = try await start(on: engine)
        let owner = try await server.verifiedUser(Self.owner)
        let enrolled = try await server.enrollApp(owner)
        let revert = try await message(1, of: smtp).code
        let change: JSONValue = ["idToken": .string(enrolled.session.idToken), "password": "secret-2"]
        #expect(try await server.call("update", change).status == 200)
        let secure = try await message(2, of: smtp).code
        #expect(try await server.call("update", ["oobCode": secure])["email"] == .string(Self.owner))
        #expect(try await server.user(owner.localID)?["mfaInfo"]?.array?.count == 1)
        let reverted = try await server.call("update", ["oobCode": revert])
        #expect(reverted.status == 200, "\(reverted.json)")
        #expect(try await server.user(owner.localID)?["mfaInfo"] == nil)
    }

    @Test(
        "a stranger who signs up with the freed address keeps it from its owner no longer than until the code is used",
        arguments: Engine.allCases
    )
    func squatter(engine: Engine) async throws {
        let (server, smtp) = try await start(on: engine)
        let stolen = try await stolen(server, smtp)
        let squatter = try await server.signUp(Self.owner)
        try await recover(stolen, on: server)
        #expect(try await server.refresh(squatter.refreshToken).errorMessage == "TOKEN_EXPIRED")
        let left = try #require(try await server.user(squatter.localID))
        #expect(left["email"] == nil && left["emailVerified"] == nil, "\(left)")
    }

    @Test("an owner of the freed address who proved it keeps it, and the code is not lost")
    func provenHolder() async throws {
        let (server, smtp) = try await start()
        let stolen = try await stolen(server, smtp)
        let holder = try await server.verifiedUser(Self.owner)
        let refused = try await server.call("update", ["oobCode": stolen.recover])
        #expect(refused.errorMessage == "EMAIL_EXISTS")
        #expect(try await server.user(holder.localID)?["email"] == .string(Self.owner))
        #expect(try await server.call("delete", holder.token).status == 200)
        try await recover(stolen, on: server)
    }

    @Test("a session that ends while it asks for a change of address gets no code for it")
    func endedWhileAsking() async throws {
        let (server, _) = try await start()
        let owner = try await server.verifiedUser(Self.owner)
        let (now, localID) = (server.clock.now, owner.localID)
        // Other writes wait meanwhile, but reads go on: the request reads the account and waits.
        async let ended: Void = server.core.database.write { transaction in
            Thread.sleep(forTimeInterval: 0.8)
            try transaction.revokeSessions(PlantingGround.scope, localID: localID, at: now)
        }
        try await Task.sleep(for: .milliseconds(200))
        let request: JSONValue = [
            "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(owner.idToken), "newEmail": .string(Self.thief),
        ]
        #expect(try await server.call("sendOobCode", request).errorMessage == "TOKEN_EXPIRED")
        try await ended
        #expect(try await server.codes("VERIFY_AND_CHANGE_EMAIL", to: Self.owner) == 0)
    }

    @Test(
        "an administrator who gives the address back, or takes the thief's away, leaves the thief no code",
        arguments: Engine.allCases,
        [true, false]
    )
    func administrator(engine: Engine, givesBack: Bool) async throws {
        let (server, smtp) = try await start(on: engine)
        let stolen = try await stolen(server, smtp)
        _ = try await PlantingGround(server: server, account: stolen.thief, email: Self.thief).linkProvider()
        let own = try await message(2, of: smtp).code
        let change: JSONValue = givesBack ? ["email": .string(Self.owner)] : ["deleteAttribute": ["EMAIL"]]
        let changed = try await server.callAsAdmin("update", change.merging(["localId": .string(stolen.localID)]))
        #expect(changed.status == 200, "\(changed.json)")
        #expect(try await server.call("update", ["oobCode": own]).errorMessage == "INVALID_OOB_CODE")
        #expect(try await server.codes("RECOVER_EMAIL", to: Self.thief) == 0)
    }

    @Test("a phone number that an administrator gave with the proven address outlives the first reset", arguments: [true, false])
    func administratorsNumber(creates: Bool) async throws {
        let (server, _) = try await start()
        let fields: JSONValue = [
            "localId": "u", "email": .string(Self.owner), "emailVerified": true,
            "phoneNumber": .string(TestServer.testNumber),
        ]
        if !creates { #expect(try await server.admin("accounts", ["localId": "u"]).status == 200) }
        let answer = try await server.admin(creates ? "accounts" : "accounts:update", fields)
        #expect(answer.status == 200, "\(answer.json)")
        server.clock.advance(by: .seconds(1))
        let reset = try await server.code("PASSWORD_RESET", ["email": .string(Self.owner)])
        #expect(try await server.call("resetPassword", ["oobCode": .string(reset), "newPassword": "secret-2"]).status == 200)
        #expect(try await server.user("u")?["phoneNumber"] == .string(TestServer.testNumber))
    }

    @Test("an address for which a blocking function vouches was proven then: the first reset removes nothing of before")
    func functionsProof() async throws {
        let hooked = try await HookedServer.start(["beforeSignIn"])
        let server = hooked.server
        let session = try server.session(try await hooked.signUp(Self.owner))
        #expect(try await server.signIn("oidc.test", server.oidcToken("owner"), session.token).status == 200)
        server.clock.advance(by: .seconds(1))
        hooked.change("beforeSignIn", mask: "emailVerified", ["emailVerified": true])
        #expect(try await server.signIn(Self.owner).status == 200)
        let reset = try await server.code("PASSWORD_RESET", ["email": .string(Self.owner)])
        #expect(try await server.call("resetPassword", ["oobCode": .string(reset), "newPassword": "secret-2"]).status == 200)
        let user = try #require(try await server.user(session.localID))
        let providers = user["providerUserInfo"]?.array?.compactMap { $0["providerId"]?.string } ?? []
        #expect(Set(providers) == ["oidc.test", "password"], "\(user)")
    }

    @Test(
        "a thief who changes without end floods no mailbox, changes nothing untold, and holds up no owner (OOB-12)",
        arguments: Engine.allCases
    )
    func flood(engine: Engine) async throws {
        let (server, smtp) = try await start(on: engine)
        let owner = try await server.verifiedUser(Self.owner)
        var token = JSONValue.string(owner.idToken)
        // Another user of a provider takes the place of the one before, which is an addition.
        func change(_ number: Int) async throws -> TestClient.Answer {
            server.clock.advance(by: .seconds(1))
            return try await server.signIn("oidc.test", server.oidcToken("thief-\(number)"), ["idToken": token])
        }
        let limit = Throttle.noticesPerRecipientPerHour
        for number in 0..<limit {
            let changed = try await change(number)
            token = try #require(changed["idToken"], "\(changed.json)")
        }
        let refused = try await change(limit)
        #expect(refused.errorMessage?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true, "\(refused.json)")
        #expect(try await server.signIn("oidc.test", server.oidcToken("thief-\(limit - 1)"))["localId"] == .string(owner.localID))
        // As many as there were changes, in the mailbox and to go back by.
        _ = try await message(limit, of: smtp)
        #expect(try await server.codes("RECOVER_EMAIL", to: Self.owner) == limit)
        // New passwords have notices of their own, and the owner sets one whatever their number is.
        for number in 0...limit {
            server.clock.advance(by: .seconds(1))
            let body: JSONValue = ["idToken": token, "password": .string("changed-\(number)"), "returnSecureToken": true]
            let changed = try await server.call("update", body)
            token = try #require(changed["idToken"], "\(changed.json)")
        }
        #expect(try await server.codes("RECOVER_EMAIL", to: Self.owner) == 2 * limit)
        // A removal is no flood, and the owner must be able to remove what a thief has added.
        let removed = try await server.call("update", ["idToken": token, "deleteProvider": ["password"]])
        #expect(removed.status == 200, "\(removed.json)")
        // The mailbox is not held up.
        let reset = try await server.code("PASSWORD_RESET", ["email": .string(Self.owner)])
        let answer = try await server.call("resetPassword", ["oobCode": .string(reset), "newPassword": "secret-2"])
        #expect(answer.status == 200, "\(answer.json)")
    }

    @Test("what a thief did on a node with a slower clock goes with the rest (OPS-11)", arguments: Engine.allCases)
    func slowerClock(engine: Engine) async throws {
        do {
            let (server, smtp) = try await start(on: engine)
            let owner = try await server.verifiedUser(Self.owner)
            server.clock.advance(by: .seconds(60))
            let move: JSONValue = ["idToken": .string(owner.idToken), "newEmail": "thief@evil.example"]
            let change = try await server.code("VERIFY_AND_CHANGE_EMAIL", move)
            #expect(try await server.call("update", ["oobCode": .string(change)])["newEmail"] == "thief@evil.example")
            let recover = try await message(1, of: smtp).code
            server.clock.advance(by: .seconds(-5))
            let reset = try await server.code("PASSWORD_RESET", ["email": "thief@evil.example"])
            #expect(try await server.call("resetPassword", ["oobCode": .string(reset), "newPassword": "secret-2"]).status == 200)
            try await PlantingGround(server: server, account: owner, email: Self.owner).addFactor()
            #expect(try await server.call("update", ["oobCode": recover])["email"] == .string(Self.owner))
            #expect(try await server.signIn(Self.owner, password: "secret-2").errorMessage == "INVALID_PASSWORD")
            #expect(try await server.user(owner.localID)?["mfaInfo"] == nil)
        }
        // A notice to an address that the account still has.
        let (server, smtp) = try await start(on: engine)
        let owner = try await server.verifiedUser(Self.owner)
        let ground = PlantingGround(server: server, account: owner, email: Self.owner)
        server.clock.advance(by: .seconds(60))
        #expect(try await ground.register(SoftwareAuthenticator(), ground.passkeyChallenge()).status == 200)
        let secure = try await message(1, of: smtp).code
        server.clock.advance(by: .seconds(-5))
        _ = try await ground.linkProvider()
        #expect(try await server.call("update", ["oobCode": secure])["email"] == .string(Self.owner))
        let user = try #require(try await server.user(owner.localID))
        #expect(user["providerUserInfo"]?.array?.compactMap { $0["providerId"] } == ["password"], "\(user)")
        #expect(user["passkeyInfo"] == nil)
    }
}
