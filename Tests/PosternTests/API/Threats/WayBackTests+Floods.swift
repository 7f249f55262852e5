import Accounts
import Project
import TestKit
import Testing

extension WayBackTests {
    @Test(
        "a thief who changes without end floods no mailbox, changes nothing untold, and holds up no owner (OOB-12)",
        arguments: TestServer.Engine.allCases
    )
    func flood(engine: TestServer.Engine) async throws {
        try await running(on: engine) { server, smtp in
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
            #expect(
                try await server.signIn("oidc.test", server.oidcToken("thief-\(limit - 1)"))["localId"] == .string(owner.localID)
            )
            // As many as there were changes, in the mailbox and to go back by.
            _ = try await message(limit, of: smtp)
            #expect(try await server.codes("RECOVER_EMAIL", to: Self.owner) == limit)
            // New passwords have notices of their own, and the owner sets one whatever their number is.
            for number in 0...limit {
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
    }

    @Test(
        "what a thief did on a node with a slower clock goes with the rest (OPS-11)",
        arguments: TestServer.Engine.allCases
    )
    func slowerClock(engine: TestServer.Engine) async throws {
        try await running(on: engine) { server, smtp in
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
        try await running(on: engine) { server, smtp in
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
}
