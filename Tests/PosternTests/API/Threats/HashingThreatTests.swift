import Dispatch
import Foundation
import Project
import TestKit
import Testing

@testable import Passwords
@testable import Server

@Suite("The threads that hash passwords", .teardown, .timeLimit(.minutes(15)))
struct HashingThreatTests {
    /// Every call by which somebody who is no administrator has a password hashed.
    private enum Way: CaseIterable {
        case signIn, oldSignIn, signUp, link, update, reset

        /// Whether the call sets a password of an account that is there, without a recent sign-in that replaces its own.
        var setsPassword: Bool { [.link, .reset].contains(self) }
    }

    /// A user whose password is changed.
    private struct User {
        let email: String
        var idToken: String
    }

    private func user(_ email: String, on server: TestServer) async throws -> User {
        User(email: email, idToken: try await server.verifiedUser(email).idToken)
    }

    private func call(
        _ way: Way,
        _ user: User,
        from address: String = "192.0.2.1",
        on server: TestServer
    ) async throws -> TestClient.Answer {
        func post(_ path: String, _ body: JSONValue) async throws -> TestClient.Answer {
            try await server.client.post("\(path)?key=\(TestServer.apiKey)", body, headers: [("X-Forwarded-For", address)])
        }
        let credentials: JSONValue = ["email": .string(user.email), "password": "secret-2", "returnSecureToken": true]
        let token: JSONValue = ["idToken": .string(user.idToken)]
        switch way {
        case .signIn: return try await post("/v1/accounts:signInWithPassword", credentials)
        case .oldSignIn: return try await post("/identitytoolkit/v3/relyingparty/verifyPassword", credentials)
        case .signUp:
            return try await post("/v1/accounts:signUp", credentials.merging(["email": .string("new-\(user.email)")]))
        case .link: return try await post("/v1/accounts:signUp", credentials.merging(token))
        case .update: return try await post("/v1/accounts:update", token.merging(["password": "secret-2"]))
        case .reset:
            let code = try await server.code("PASSWORD_RESET", ["email": .string(user.email)])
            return try await post("/v1/accounts:resetPassword", ["oobCode": .string(code), "newPassword": "secret-2"])
        }
    }

    private static let environment = ["POSTERN_SERVER_TRUSTED_PROXIES": "127.0.0.0/8"]

    @Test("have a quarter of their places for one client, by whatever call, and the others for everybody else (RES-07)")
    func shares() async throws {
        let environment = Self.environment.merging(
            ["POSTERN_PASSWORDS_WORKERS": "1", "POSTERN_PASSWORDS_QUEUE_LIMIT": "11"]
        ) { $1 }
        let server = try await TestServer.start(environment: environment, project: TestServer.emailProject())
        let hasher = server.core.assembly.hasher
        let user = try await self.user("user@example.com", on: server)
        let mayGoOn = DispatchSemaphore(value: 0)
        async let held: Void = hasher.pool.run(for: nil) { mayGoOn.wait() }
        defer { mayGoOn.signal() }
        try await eventually { hasher.load.running == 1 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<hasher.pool.share {
                let stranger = User(email: "stranger\(number)@example.com", idToken: "")
                group.addTask { _ = try await call(.signIn, stranger, on: server) }
            }
            try await eventually { hasher.load.waiting == hasher.pool.share }
            for way in Way.allCases {
                let refused = try await call(way, user, on: server)
                #expect(refused.status == 429, "\(way): \(refused.json)")
                #expect(refused.header("Retry-After") == "1", "\(way)")
            }
            for number in 0..<3 {
                group.addTask { _ = try await call(.signIn, user, from: "192.0.2.10\(number)", on: server) }
            }
            try await eventually { hasher.load.waiting == hasher.pool.share + 3 }
            mayGoOn.signal()
            try await group.waitForAll()
        }
        try await held
        // A refusal for want of a place took none.
        #expect(try await call(.signUp, user, on: server).status == 200)
    }

    @Test("have room for a user in a usual network although many IPv6 networks and others guess at once (RES-07)")
    func usualNetwork() async throws {
        let environment = Self.environment.merging(
            // Few places, because the client of the tests sends eight requests at once.
            ["POSTERN_PASSWORDS_WORKERS": "1", "POSTERN_PASSWORDS_QUEUE_LIMIT": "7"]
        ) { $1 }
        let server = try await TestServer.start(environment: environment, project: TestServer.emailProject())
        let hasher = server.core.assembly.hasher
        let user = try await self.user("user@example.com", on: server)
        #expect(try await server.signIn(user.email).status == 200)
        let mayGoOn = DispatchSemaphore(value: 0)
        async let held: Void = hasher.pool.run(for: nil) { mayGoOn.wait() }
        defer { mayGoOn.signal() }
        try await eventually { hasher.load.running == 1 }
        @Sendable func guess(_ number: Int, from address: String) async throws -> Int {
            let stranger = User(email: "stranger\(number)@example.com", idToken: "")
            return try await call(.signIn, stranger, from: address, on: server).status
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            let half = hasher.pool.shareOfSite
            for number in 0..<half {
                group.addTask { _ = try await guess(number, from: "2001:db8:1:\(number)00::1") }
            }
            try await eventually { hasher.load.waiting == half }
            #expect(try await guess(half, from: "2001:db8:1:\(half)00::1") == 429)
            // All others together leave an eighth, of which the held job has none.
            let others = 8 - hasher.pool.kept - 1 - half
            for number in 0..<others { group.addTask { _ = try await guess(20 + number, from: "192.0.2.\(number)") } }
            try await eventually { hasher.load.waiting == half + others }
            #expect(try await guess(40, from: "192.0.2.99") == 429)
            #expect(try await call(.signIn, user, from: "192.0.2.99", on: server).status == 429)
            group.addTask {
                let status = try await server.signIn(user.email).status
                #expect(status == 200)
            }
            try await eventually { hasher.load.waiting == half + others + 1 }
            mayGoOn.signal()
            try await group.waitForAll()
        }
        try await held
    }

    @Test("do nothing for an account that has changed too often, nor for a network that sets too many passwords (RES-07)")
    func counted() async throws {
        for (key, ways) in [
            ("POSTERN_LIMITS_ACCOUNT_CHANGES_PER_HOUR", [Way.link]),
            ("POSTERN_LIMITS_PASSWORD_FAILURES_PER_ADDRESS_PER_HOUR", Way.allCases.filter(\.setsPassword)),
        ] {
            let environment = Self.environment.merging([key: "2"]) { $1 }
            let server = try await TestServer.start(environment: environment, project: TestServer.emailProject())
            let hasher = server.core.assembly.hasher
            for (number, way) in ways.enumerated() {
                let address = "192.0.2.\(number + 1)"
                var user = try await self.user("user\(number)@example.com", on: server)
                for _ in 0..<2 {
                    let answer = try await call(way, user, from: address, on: server)
                    #expect(answer.status == 200, "\(way): \(answer.json)")
                    if let idToken = answer["idToken"]?.string { user.idToken = idToken }
                }
                let hashes = hasher.load.defaultHashes
                for _ in 0..<3 {
                    let refused = try await call(way, user, from: address, on: server)
                    let code = refused.errorMessage?.split(separator: " ").first
                    #expect(code == "TOO_MANY_ATTEMPTS_TRY_LATER" && refused.status == 400, "\(way): \(refused.json)")
                }
                #expect(hasher.load.defaultHashes == hashes, "\(way)")
                server.clock.advance(by: .seconds(3601))
                let signedIn = try await server.signIn(user.email, password: "secret-2")
                user.idToken = try server.session(signedIn).idToken
                #expect(try await call(way, user, from: address, on: server).status == 200, "\(way)")
            }
            // Neither limit keeps an owner from a new password, in any network.
            var owner = try await self.user("owner@example.com", on: server)
            for _ in 0..<9 {
                let answer = try await call(.update, owner, from: "192.0.2.1", on: server)
                owner.idToken = try #require(answer["idToken"]?.string, "\(answer.json)")
            }
        }
    }
}
