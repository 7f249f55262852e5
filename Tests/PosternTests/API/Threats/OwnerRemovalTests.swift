import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("A thief with an old session uses up what the account may add, and its owner", .teardown, .timeLimit(.minutes(15)))
struct OwnerRemovalTests {
    private static let email = "owner@example.com"
    private static let limit = 3

    private func start(on engine: Engine) async throws -> TestServer {
        let environment = PlantingTests.environment.merging(
            ["POSTERN_LIMITS_ACCOUNT_CHANGES_PER_HOUR": "\(Self.limit)", "POSTERN_LIMITS_SESSIONS_PER_USER": "5"]
        ) { $1 }
        return try await TestServer.start(environment: environment, project: PlantingTests.project, on: engine)
    }

    private func update(_ idToken: JSONValue, _ change: JSONValue, on server: TestServer) async throws -> TestClient.Answer {
        try await server.call("update", change.merging(["idToken": idToken]))
    }

    private func isRefused(_ answer: TestClient.Answer) -> Bool {
        answer.errorMessage?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true
    }

    /// Renames the account until that is refused.
    private func useUp(_ idToken: String, on server: TestServer) async throws -> Int {
        for number in 0..<100
        where isRefused(try await update(.string(idToken), ["displayName": .string("n\(number)")], on: server)) {
            return number
        }
        return 100
    }

    @Test("removes, ends sessions, sets a password, and adds something himself", arguments: Engine.allCases)
    func removals(engine: Engine) async throws {
        let server = try await start(on: engine)
        let thief = try await server.verifiedUser(Self.email)
        _ = try await PlantingGround(server: server, account: thief, email: Self.email).linkProvider()
        server.clock.advance(by: .seconds(600))
        // A link was an addition, too.
        #expect(try await useUp(thief.idToken, on: server) == Self.limit - 1)
        let owner = try server.session(try await server.signIn(Self.email))
        let ground = PlantingGround(server: server, account: owner, email: Self.email)
        var token = JSONValue.string(owner.idToken)
        let authenticator = SoftwareAuthenticator()
        #expect(try await ground.register(authenticator, ground.passkeyChallenge()).status == 200)
        // The second factor, and with it all that may be added.
        let enrolled = try await server.enrollApp(owner)
        token = .string(enrolled.session.idToken)
        #expect(try await update(token, ["displayName": "Owner"], on: server).status == 200)
        #expect(isRefused(try await update(token, ["displayName": "Other"], on: server)))
        let passkey = JSONValue.string(authenticator.id)
        for removal in [
            ["deleteProvider": ["oidc.other"]], ["deletePasskey": [passkey]], ["deleteAttribute": ["DISPLAY_NAME"]],
        ] as [JSONValue] {
            #expect(try await update(token, removal, on: server).status == 200, "\(removal)")
            // What removes nothing writes all the same, and counts.
            #expect(isRefused(try await update(token, removal, on: server)), "\(removal)")
        }
        let withdrawal: JSONValue = ["idToken": token, "mfaEnrollmentId": .string(enrolled.enrollmentID)]
        let withdrawn = try await server.callV2("mfaEnrollment:withdraw", withdrawal)
        token = try #require(withdrawn["idToken"], "\(withdrawn.json)")
        let changed = try await update(token, ["password": "secret-2"], on: server)
        token = try #require(changed["idToken"], "\(changed.json)")
        let ended = try await update(token, ["validSince": "1"], on: server)
        #expect(ended.status == 200, "\(ended.json)")
        #expect(try await server.refresh(thief.refreshToken).errorMessage == "TOKEN_EXPIRED")
        #expect(try await server.user(owner.localID)?["providerUserInfo"]?.array?.count == 1)
    }

    @Test(
        "is held up by other sign-ins at twice the limit only, and a session that takes another's place gains nothing (RES-05)",
        arguments: Engine.allCases
    )
    func sessions(engine: Engine) async throws {
        let server = try await start(on: engine)
        let thief = try await server.signUp(Self.email)
        server.clock.advance(by: .seconds(1))
        let second = try server.session(try await server.signIn(Self.email))
        #expect(try await useUp(thief.idToken, on: server) == Self.limit)
        // The same sign-in under a new session.
        let renewed = try await update(.string(thief.idToken), ["validSince": "1"], on: server)
        #expect(isRefused(try await update(renewed["idToken"] ?? .null, ["displayName": "n"], on: server)), "\(renewed.json)")
        #expect(try await update(.string(second.idToken), ["displayName": "n"], on: server).errorMessage == "TOKEN_EXPIRED")
        server.clock.advance(by: .seconds(1))
        let third = try server.session(try await server.signIn(Self.email))
        #expect(try await useUp(third.idToken, on: server) == Self.limit)
        server.clock.advance(by: .seconds(1))
        let fourth = try server.session(try await server.signIn(Self.email))
        #expect(try await useUp(fourth.idToken, on: server) == 0)
        server.clock.advance(by: .seconds(3601))
        let late = try server.session(try await server.signIn(Self.email))
        #expect(try await useUp(late.idToken, on: server) == Self.limit)
    }

    @Test(
        "a first password, and what comes beside one, are additions: no loop floods a mailbox (OOB-12)",
        arguments: Engine.allCases
    )
    func passwords(engine: Engine) async throws {
        let server = try await start(on: engine)
        let thief = try await server.verifiedUser(Self.email)
        var (token, rounds) = (JSONValue.string(thief.idToken), 0)
        while rounds < 10 {
            #expect(try await update(token, ["deleteProvider": ["password"]], on: server).status == 200)
            let set = try await update(token, ["password": .string("secret-\(rounds)")], on: server)
            if isRefused(set) { break }
            token = try #require(set["idToken"], "\(set.json)")
            rounds += 1
        }
        #expect((1...Self.limit).contains(rounds))
        let other = try await server.signUp("other@example.com")
        #expect(try await useUp(other.idToken, on: server) == Self.limit)
        let both: JSONValue = ["password": "secret-2", "displayName": "Other"]
        #expect(isRefused(try await update(.string(other.idToken), both, on: server)))
        #expect(try await update(.string(other.idToken), ["password": "secret-2"], on: server).status == 200)
    }

    @Test("leaves no rows without end when sessions are ended without end (RES-05)", arguments: Engine.allCases)
    func endings(engine: Engine) async throws {
        let server = try await start(on: engine)
        let user = try await server.signUp(Self.email)
        var token = JSONValue.string(user.idToken)
        for _ in 0..<20 {
            let ended = try await update(token, ["validSince": "1"], on: server)
            token = try #require(ended["idToken"], "\(ended.json)")
        }
        let rows = try await server.core.database.read { transaction in
            try ["sessions", "audit_events"].map { table in
                try transaction.query("SELECT 1 AS one FROM \(raw: table) WHERE local_id = \(user.localID)").count
            }
        }
        // As many as twice the limit are remembered, and the living one.
        #expect(rows[0] == 2 * Self.limit + 1)
        #expect(rows[1] < 20)
        let lookup = try await server.call("lookup", ["idToken": token])
        #expect(lookup["users"]?[0]?["localId"] == .string(user.localID))
    }
}
