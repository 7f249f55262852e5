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
        /// A session of the thief.
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
        arguments: TestServer.Engine.allCases
    )
    func deletedSquatter(engine: TestServer.Engine) async throws {
        try await running(on: engine) { server, smtp in
            let stolen = try await stolen(server, smtp)
            let squatter = try await server.signUp(Self.owner)
            #expect(try await server.call("delete", ["idToken": .string(squatter.idToken)]).status == 200)
            try await recover(stolen, on: server)
        }
    }

    @Test(
        "a way back of the thief's own address ends none of the owner's",
        arguments: TestServer.Engine.allCases,
        [0, 1]
    )
    func wayBackOfThief(engine: TestServer.Engine, seconds: Int) async throws {
        try await running(on: engine) { server, smtp in
            let stolen = try await stolen(server, smtp)
            server.clock.advance(by: .seconds(seconds))
            _ = try await PlantingGround(server: server, account: stolen.thief, email: Self.thief).linkProvider()
            let own = try await message(2, of: smtp).code
            let used = try await server.call("update", ["oobCode": own])
            #expect(used["email"] == .string(Self.thief), "\(used.json)")
            try await recover(stolen, on: server)
            #expect(try await server.codes("RECOVER_EMAIL", to: Self.thief) == 0)
        }
    }

    @Test(
        "after the owner secured the account, a factor that was added before can still be taken back",
        arguments: TestServer.Engine.allCases
    )
    func factorAfterRecovery(engine: TestServer.Engine) async throws {
        try await running(on: engine) { server, smtp in
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
    }

    @Test(
        "a stranger who signs up with the freed address keeps it from its owner no longer than until the code is used",
        arguments: TestServer.Engine.allCases
    )
    func squatter(engine: TestServer.Engine) async throws {
        try await running(on: engine) { server, smtp in
            let stolen = try await stolen(server, smtp)
            let squatter = try await server.signUp(Self.owner)
            try await recover(stolen, on: server)
            #expect(try await server.refresh(squatter.refreshToken).errorMessage == "TOKEN_EXPIRED")
            let left = try #require(try await server.user(squatter.localID))
            #expect(left["email"] == nil && left["emailVerified"] == nil, "\(left)")
        }
    }

    @Test("an owner of the freed address who proved it keeps it, and the code is not lost")
    func provenHolder() async throws {
        try await running { server, smtp in
            let stolen = try await stolen(server, smtp)
            let holder = try await server.verifiedUser(Self.owner)
            let refused = try await server.call("update", ["oobCode": stolen.recover])
            #expect(refused.errorMessage == "EMAIL_EXISTS")
            #expect(try await server.user(holder.localID)?["email"] == .string(Self.owner))
            #expect(try await server.call("delete", ["idToken": .string(holder.idToken)]).status == 200)
            try await recover(stolen, on: server)
        }
    }

    @Test("a session that ends while it asks for a change of address gets no code for it")
    func endedWhileAsking() async throws {
        try await running { server, _ in
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
    }

    @Test(
        "an administrator who gives the address back, or takes the thief's away, leaves the thief no code",
        arguments: TestServer.Engine.allCases,
        [true, false]
    )
    func administrator(engine: TestServer.Engine, givesBack: Bool) async throws {
        try await running(on: engine) { server, smtp in
            let stolen = try await stolen(server, smtp)
            _ = try await PlantingGround(server: server, account: stolen.thief, email: Self.thief).linkProvider()
            let own = try await message(2, of: smtp).code
            let change: JSONValue = givesBack ? ["email": .string(Self.owner)] : ["deleteAttribute": ["EMAIL"]]
            let changed = try await server.callAsAdmin("update", change.merging(["localId": .string(stolen.localID)]))
            #expect(changed.status == 200, "\(changed.json)")
            #expect(try await server.call("update", ["oobCode": own]).errorMessage == "INVALID_OOB_CODE")
            #expect(try await server.codes("RECOVER_EMAIL", to: Self.thief) == 0)
        }
    }

    @Test("a phone number that an administrator gave with the proven address outlives the first reset", arguments: [true, false])
    func administratorsNumber(creates: Bool) async throws {
        try await running { server, _ in
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
    }

    @Test("an address for which a blocking function vouches was proven then: the first reset removes nothing of before")
    func functionsProof() async throws {
        try await HookedServer.running(["beforeSignIn"]) { hooked async throws in
            let server = hooked.server
            let session = try server.session(try await hooked.signUp(Self.owner))
            let token: JSONValue = ["idToken": .string(session.idToken)]
            #expect(try await server.signIn("oidc.test", server.oidcToken("owner"), token).status == 200)
            server.clock.advance(by: .seconds(1))
            hooked.change("beforeSignIn", mask: "emailVerified", ["emailVerified": true])
            #expect(try await server.signIn(Self.owner).status == 200)
            let reset = try await server.code("PASSWORD_RESET", ["email": .string(Self.owner)])
            #expect(try await server.call("resetPassword", ["oobCode": .string(reset), "newPassword": "secret-2"]).status == 200)
            let user = try #require(try await server.user(session.localID))
            let providers = user["providerUserInfo"]?.array?.compactMap { $0["providerId"]?.string } ?? []
            #expect(Set(providers) == ["oidc.test", "password"], "\(user)")
        }
    }
}
