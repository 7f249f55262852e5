import Project
import TestKit
import Testing

@Suite("An account planted under somebody's address", .teardown, .timeLimit(.minutes(15)))
struct PlantedAccountTests {
    static let victim = "victim@example.com"

    /// How the owner of an address gets the account that has it.
    enum Proof: CaseIterable {
        case provider, link, reset
    }

    func prove(_ proof: Proof, on server: TestServer) async throws {
        let email = JSONValue.string(Self.victim)
        switch proof {
        case .provider:
            _ = try server.session(try await server.signIn("oidc.test", try server.oidcToken("v", TestServer.email(Self.victim))))
        case .link:
            let code = try await server.code(
                "EMAIL_SIGNIN",
                ["email": email, "continueUrl": "https://app.example.com/", "canHandleCodeInApp": true]
            )
            _ = try server.session(try await server.call("signInWithEmailLink", ["email": email, "oobCode": .string(code)]))
        case .reset:
            let code = try await server.code("PASSWORD_RESET", ["email": email])
            let answer = try await server.call("resetPassword", ["oobCode": .string(code), "newPassword": "of the victim"])
            #expect(answer.status == 200, "\(answer.json)")
        }
    }

    func start(
        mode: ServerMode = .production,
        hidesAccounts: Bool = true,
        more: String = "",
        on engine: Engine = .sqlite
    ) async throws -> TestServer {
        let project = TestServer.emailProject(more, hidesAccounts: hidesAccounts)
        return try await TestServer.start(mode: mode, project: project, on: engine)
    }

    @Test("cannot be moved to another address by a code of before it was proven (LNK-01)", arguments: Proof.allCases, [0, 2])
    func pendingChange(proof: Proof, seconds: Int) async throws {
        let server = try await start()
        let planted = try await server.signUp(Self.victim)
        let code = try await server.code(
            "VERIFY_AND_CHANGE_EMAIL",
            ["idToken": .string(planted.idToken), "newEmail": "attacker@evil.example"]
        )
        server.clock.advance(by: .seconds(seconds))
        try await prove(proof, on: server)
        let refused = try await server.call("update", ["oobCode": .string(code)])
        #expect(refused.errorMessage == "INVALID_OOB_CODE", "\(refused.json)")
        #expect(try await server.user(planted.localID)?["email"] == .string(Self.victim))
    }

    @Test("cannot be moved by whoever lost its sessions since, also within the second", arguments: [0, 2])
    func revoked(seconds: Int) async throws {
        let server = try await start()
        let owner = try await server.signUp(Self.victim)
        let code = try await server.code(
            "VERIFY_AND_CHANGE_EMAIL",
            ["idToken": .string(owner.idToken), "newEmail": "thief@evil.example"]
        )
        server.clock.advance(by: .seconds(seconds))
        let now = String(server.clock.now.seconds)
        _ = try await server.callAsAdmin("update", ["localId": .string(owner.localID), "validSince": .string(now)])
        #expect(try await server.call("update", ["oobCode": .string(code)]).errorMessage == "INVALID_OOB_CODE")
    }

    @Test("is not made of one that had another address, where addresses have to be proven first (LNK-09)")
    func replacedAddress() async throws {
        let server = try await start()
        let attacker = try await server.signUp("attacker@evil.example")
        let body: JSONValue = ["idToken": .string(attacker.idToken), "email": .string(Self.victim), "password": "planted"]
        let refused = try await server.call("signUp", body)
        #expect(refused.errorMessage == "OPERATION_NOT_ALLOWED : Please verify the new email before changing email.")
        // An anonymous user has no password to replace.
        let anonymous = try server.session(try await server.call("signUp", [:]))
        _ = try server.session(try await server.call("signUp", body.merging(anonymous.token)))
    }

    @Test("does not tell its first address of what its owner does later", arguments: Proof.allCases)
    func firstAddress(proof: Proof) async throws {
        let server = try await start(hidesAccounts: false)
        let attacker = try await server.signUp("attacker@evil.example")
        _ = try server.session(
            try await server.call("update", ["idToken": .string(attacker.idToken), "email": .string(Self.victim)])
        )
        #expect(try await server.user(attacker.localID)?["initialEmail"] == "attacker@evil.example")
        try await prove(proof, on: server)
        let user = try await server.user(attacker.localID)
        #expect(user?["email"] == .string(Self.victim))
        #expect(user?["initialEmail"] == nil)
    }
}
