import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("A network is usual for an account", .teardown, .timeLimit(.minutes(15)))
struct UsualNetworkTests {
    private static let email = "owner@example.com"
    private static let environment = PlantingTests.environment.merging(["POSTERN_SERVER_TRUSTED_PROXIES": "127.0.0.1"]) { $1 }

    private func start(on engine: Engine, _ more: [String: String] = [:]) async throws -> TestServer {
        let environment = Self.environment.merging(more) { $1 }
        return try await TestServer.start(environment: environment, project: PlantingTests.project, on: engine)
    }

    private func call(
        _ method: String,
        _ body: JSONValue,
        from address: String,
        on server: TestServer
    ) async throws -> TestClient.Answer {
        try await server.client.post(
            "/v1/accounts:\(method)?key=\(TestServer.apiKey)",
            body,
            headers: [("X-Forwarded-For", address)]
        )
    }

    private func signIn(_ password: String, from address: String, on server: TestServer) async throws -> TestClient.Answer {
        let body: JSONValue = ["email": .string(Self.email), "password": .string(password)]
        return try await call("signInWithPassword", body, from: address, on: server)
    }

    /// How many of the calls are not refused for their number.
    private func allowed(_ count: Int, _ call: @Sendable @escaping (Int) async throws -> TestClient.Answer) async throws -> Int {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<count {
                group.addTask { try await call(number).errorMessage?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") != true }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }

    private func marks(of localID: String, on server: TestServer) async throws -> Int {
        let pattern = "usual:\(localID):%"
        return try await server.core.database.read {
            try $0.query("SELECT bucket FROM throttles WHERE bucket LIKE \(pattern)").count
        }
    }

    /// How the owner of an address comes by an account that somebody else has planted on it.
    enum Return: String, CaseIterable, CustomTestStringConvertible {
        case provider, emailLink, reset

        var testDescription: String { rawValue }

        func go(on server: TestServer, from address: String, password: String) async throws -> TestClient.Answer {
            func post(_ method: String, _ body: JSONValue) async throws -> TestClient.Answer {
                let headers = [("X-Forwarded-For", address)]
                return try await server.client.post("/v1/accounts:\(method)?key=\(TestServer.apiKey)", body, headers: headers)
            }
            let email: JSONValue = ["email": .string(UsualNetworkTests.email)]
            switch self {
            case .provider:
                let token = try server.oidcToken("owner", TestServer.email(UsualNetworkTests.email))
                let form = TestClient.encode([("providerId", "oidc.test"), ("id_token", token)])
                return try await post("signInWithIdp", ["requestUri": "http://localhost", "postBody": .string(form)])
            case .emailLink:
                let code = try await server.code("EMAIL_SIGNIN", email.merging(["continueUrl": "http://localhost"]))
                return try await post("signInWithEmailLink", email.merging(["oobCode": .string(code)]))
            case .reset:
                let code = try await server.code("PASSWORD_RESET", email)
                return try await post("resetPassword", ["oobCode": .string(code), "newPassword": .string(password)])
            }
        }
    }

    @Test(
        "no longer once its owner has taken the account over: planted networks gain neither guesses nor mails",
        arguments: Engine.allCases,
        Return.allCases
    )
    func planted(engine: Engine, way: Return) async throws {
        let server = try await start(on: engine)
        let account = try await server.signUp(Self.email)
        for number in 1...11 {
            #expect(try await signIn("secret-1", from: "192.0.2.\(number)", on: server).status == 200)
        }
        #expect(try await marks(of: account.localID, on: server) == 11)
        let returned = try await way.go(on: server, from: "198.51.100.1", password: "of the owner")
        #expect(returned.status == 200, "\(returned.json)")
        // The owner's own network, and no other.
        #expect(try await marks(of: account.localID, on: server) == 1)
        let guesses = try await allowed(66) { number in
            try await signIn("guess-\(number)", from: "192.0.2.\(number % 11 + 1)", on: server)
        }
        #expect(guesses == 10)
        let mails = try await allowed(33) { number in
            let body: JSONValue = ["requestType": "PASSWORD_RESET", "email": .string(Self.email)]
            return try await call("sendOobCode", body, from: "192.0.2.\(number % 11 + 1)", on: server)
        }
        #expect(mails == 5)
        // The owner is not disturbed.
        #expect(try await signIn("guess", from: "198.51.100.1", on: server).errorMessage == "INVALID_PASSWORD")
    }

    @Test("no longer once a thief has been thrown out, by a reset or the way back", arguments: Engine.allCases)
    func thief(engine: Engine) async throws {
        let server = try await start(on: engine)
        let owner = try await server.verifiedUser(Self.email)
        for round in 0..<2 {
            for number in 1...3 { #expect(try await signIn("secret-1", from: "192.0.2.\(number)", on: server).status == 200) }
            if round == 0 {
                #expect(try await Return.reset.go(on: server, from: "198.51.100.1", password: "secret-1").status == 200)
                #expect(try await marks(of: owner.localID, on: server) == 1)
            } else {
                server.clock.advance(by: .seconds(60))
                let session = try server.session(try await server.signIn(Self.email))
                let move: JSONValue = ["idToken": .string(session.idToken), "newEmail": "thief@evil.example"]
                let change = try await server.code("VERIFY_AND_CHANGE_EMAIL", move)
                #expect(try await server.call("update", ["oobCode": .string(change)]).status == 200)
                // A change that a session has asked for leaves the networks alone.
                #expect(try await marks(of: owner.localID, on: server) > 3)
                let back = try await recoveryCode(of: owner.localID, on: server)
                #expect(try await server.call("update", ["oobCode": .string(back)])["email"] == .string(Self.email))
                // The owner's own network, and no other.
                #expect(try await marks(of: owner.localID, on: server) == 1)
            }
        }
    }

    /// A way back to the address, as its mail has it.
    private func recoveryCode(of localID: String, on server: TestServer) async throws -> String {
        let (code, now) = ("a way back", server.clock.now)
        var record = OOBCodeRecord(
            hash: sha256(code.utf8),
            type: .recoverEmail,
            email: Self.email,
            createdAt: now,
            expiresAt: now.advanced(by: .seconds(3600))
        )
        record.localID = localID
        record.newEmail = "thief@evil.example"
        try await server.core.database.write { [record] in try $0.insertOOBCode(PlantingGround.scope, record) }
        return code
    }

    @Test("still after its owner has proven or changed something (THR-09)", arguments: Engine.allCases)
    func ownChanges(engine: Engine) async throws {
        let server = try await start(on: engine)
        let owner = try await server.signUp(Self.email)
        #expect(try await signIn("secret-1", from: "192.0.2.1", on: server).status == 200)
        let verify = try await server.code("VERIFY_EMAIL", owner.token)
        #expect(try await server.call("update", ["oobCode": .string(verify)]).status == 200)
        let session = try server.session(try await signIn("secret-1", from: "192.0.2.1", on: server))
        let changed = try await server.call("update", ["idToken": .string(session.idToken), "password": "secret-2"])
        #expect(changed.status == 200, "\(changed.json)")
        _ = try await server.call("update", ["idToken": changed["idToken"] ?? .null, "validSince": "1"])
        #expect(try await marks(of: owner.localID, on: server) == 1)
    }

    @Test("after every sign-in that its user has proven in full (OOB-11)", arguments: Engine.allCases)
    func ways(engine: Engine) async throws {
        let server = try await start(on: engine)
        let user = try await server.verifiedUser(Self.email)
        let ground = PlantingGround(server: server, account: user, email: Self.email)
        // Neither a sign-up nor a link nor a change by the session is such a sign-in.
        _ = try await ground.linkProvider()
        try await ground.linkPhone()
        let passkey = SoftwareAuthenticator()
        #expect(try await ground.register(passkey, ground.passkeyChallenge()).status == 200)
        #expect(try await server.refresh(user.refreshToken).status == 200)
        let minter = try await CustomTokenTests.Minter(on: server)
        let token = JSONValue.string(try minter.token(user.localID))
        #expect(try await ground.opens(server.call("signInWithCustomToken", ["token": token])))
        #expect(try await marks(of: user.localID, on: server) == 0)
        let ways: [(name: String, signIn: () async throws -> Bool)] = [
            ("password", { try await ground.opens(server.signIn(Self.email)) }),
            ("provider", { try await ground.opens(server.signIn("oidc.other", ground.otherToken())) }),
            ("e-mail link", { try await Return.emailLink.go(on: server, from: "127.0.0.1", password: "").status == 200 }),
            (
                "phone",
                {
                    let sent = try await server.sendCode(TestServer.testNumber)
                    return try await ground.opens(server.signInWithPhone(sent["sessionInfo"], TestServer.testNumberCode))
                }
            ), ("passkey", { try await ground.signIn(passkey) }),
        ]
        for (name, signIn) in ways {
            #expect(try await signIn(), "\(name)")
            #expect(try await marks(of: user.localID, on: server) == 1, "\(name)")
            try await forget(on: server)
        }
        try await ground.addFactor()
        // A first factor alone shows too little.
        let pending = try #require(try await server.signIn(Self.email)["mfaPendingCredential"])
        #expect(try await marks(of: user.localID, on: server) == 0)
        #expect(try await ground.showFactor(pending))
        #expect(try await marks(of: user.localID, on: server) == 1)
    }

    private func forget(on server: TestServer) async throws {
        try await server.core.database.write { _ = try $0.execute("DELETE FROM throttles WHERE bucket LIKE 'usual:%'") }
    }

    @Test("of a user who signs in by provider alone: strangers do not use up his mails (OOB-11)", arguments: Engine.allCases)
    func provider(engine: Engine) async throws {
        let server = try await start(on: engine)
        #expect(try await Return.provider.go(on: server, from: "198.51.100.1", password: "").status == 200)
        func mails(from address: String) async throws -> Int {
            try await allowed(8) { _ in
                let body: JSONValue = ["requestType": "PASSWORD_RESET", "email": .string(Self.email)]
                return try await call("sendOobCode", body, from: address, on: server)
            }
        }
        #expect(try await mails(from: "192.0.2.1") == 5)
        #expect(try await mails(from: "192.0.2.2") == 0)
        #expect(try await mails(from: "198.51.100.1") == 5)
    }

    @Test("and the first mail by which a new user proves his address gets through (OOB-11)", arguments: Engine.allCases)
    func proofMail(engine: Engine) async throws {
        let server = try await start(on: engine)
        let body: JSONValue = ["requestType": "EMAIL_SIGNIN", "email": .string(Self.email), "continueUrl": "http://localhost"]
        #expect(try await allowed(8) { try await call("sendOobCode", body, from: "192.0.2.\($0)", on: server) } == 5)
        func verify(_ user: TestServer.Session) async throws -> Int {
            let body: JSONValue = ["requestType": "VERIFY_EMAIL", "idToken": .string(user.idToken)]
            return try await allowed(3) { _ in try await call("sendOobCode", body, from: "198.51.100.1", on: server) }
        }
        let user = try await server.signUp(Self.email)
        #expect(try await verify(user) == 1)
        // Whoever deletes the account and signs up again bombs no mailbox.
        #expect(try await server.call("delete", user.token).status == 200)
        #expect(try await verify(try await server.signUp(Self.email)) == 0)
    }

    @Test("of one user's apps: thirty sign-ins at once are no guesses", arguments: Engine.allCases)
    func apps(engine: Engine) async throws {
        // The client of the tests sends eight requests at once.
        let server = try await start(on: engine, ["POSTERN_LIMITS_PASSWORD_FAILURES_PER_ACCOUNT": "2"])
        _ = try await server.signUp(Self.email)
        let accepted = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<30 {
                group.addTask { try await signIn("secret-1", from: "192.0.2.\(number)", on: server).status == 200 ? 1 : 0 }
            }
            return try await group.reduce(0, +)
        }
        #expect(accepted == 30)
    }
}
