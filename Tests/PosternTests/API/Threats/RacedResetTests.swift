import Accounts
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("A reset of a password that others race", .teardown, .timeLimit(.minutes(15)))
struct RacedResetTests {
    private static let email = "victim@example.com"

    /// A store in which an application server begins to sign an account in by custom tokens, after it was read and before it is written.
    private final class RacedDatabase: Database {
        private let base: any Database
        private let localID: String
        private let scope: Scope
        // How often it happens, and whether the last call was a read.
        private let state: LockedState<(left: Int, hasRead: Bool)>

        init(_ base: any Database, localID: String, scope: Scope, times: Int) {
            (self.base, self.localID, self.scope) = (base, localID, scope)
            state = LockedState((times, false))
        }

        func read<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
            let isLeft = state.withLock { state in
                state.hasRead = true
                return state.left > 0
            }
            if isLeft { try await signInByTokens(false) }
            return try await base.read(body)
        }

        func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
            let happens = state.withLock { state in
                guard state.hasRead, state.left > 0 else { return false }
                state = (state.left - 1, false)
                return true
            }
            if happens { try await signInByTokens(true) }
            return try await base.write(body)
        }

        func ping() async throws { try await base.ping() }

        func close() async throws {}

        private func signInByTokens(_ happens: Bool) async throws {
            try await base.write { [localID, scope] transaction in
                guard var account = try transaction.account(scope, localID: localID) else { return }
                account.hasCustomAuth = happens
                try transaction.updateAccount(scope, account)
            }
        }
    }

    private func reset(
        racedTimes times: Int,
        on engine: Engine,
        _ check: (TestServer, Result<OOBCodeInfo, any Error>, TestServer.Session) async throws -> Void
    ) async throws {
        let server = try await TestServer.start(project: TestServer.emailProject(), on: engine)
        let planted = try await server.signUp(Self.email, "planted")
        let code = try await server.code("PASSWORD_RESET", ["email": .string(Self.email)])
        let scope = Scope(projectID: "demo-test")
        let database = RacedDatabase(server.core.database, localID: planted.localID, scope: scope, times: times)
        let context = CallContext(scope: scope, isPrivileged: false, actor: AuditEvent.user)
        let outcome: Result<OOBCodeInfo, any Error> = try await server.withUseCases(on: database) { useCases in
            do {
                return .success(try await useCases.codes.passwordReset.reset(code, newPassword: "chosen-1", context: context))
            } catch {
                return .failure(error)
            }
        }
        try await check(server, outcome, planted)
        #expect(!server.log.lines.contains { $0.hasPrefix("error ") }, "the store is well")
    }

    @Test("is decided again: the planted account gives the address up", arguments: Engine.allCases)
    func decidedAgain(engine: Engine) async throws {
        try await reset(racedTimes: 2, on: engine) { server, outcome, planted in
            _ = try outcome.get()
            let owner = try server.session(try await server.signIn(Self.email, password: "chosen-1"))
            #expect(owner.localID != planted.localID)
        }
    }

    @Test("is told to try again when it always loses, and the store does not count as ill", arguments: Engine.allCases)
    func aborted(engine: Engine) async throws {
        try await reset(racedTimes: 1000, on: engine) { server, outcome, _ in
            let error = #expect(throws: APIError.self) { try outcome.get() }
            #expect(error?.code == .aborted)
            try await server.core.database.ping()
        }
    }
}
