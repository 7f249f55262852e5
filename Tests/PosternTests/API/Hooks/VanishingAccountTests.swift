import Accounts
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("An account that comes and goes while its function is to be asked", .teardown, .timeLimit(.minutes(15)))
struct VanishingAccountTests {
    private static let email = "vanishing@example.com"

    /// A store in which an account is there for each rehearsal of a sign-in, and gone for the sign-in itself.
    private final class VanishingDatabase: Database {
        private let base: any Database
        private let scope: Scope
        private let account: AccountRecord
        // How often the account still goes, and whether it is gone for the next transaction.
        private let state: LockedState<(left: Int, isGone: Bool)>

        init(_ base: any Database, _ account: AccountRecord, _ scope: Scope, times: Int) {
            (self.base, self.account, self.scope) = (base, account, scope)
            state = LockedState((times, false))
        }

        /// How often the account still goes.
        var left: Int { state.withLock(\.left) }

        func read<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
            try await base.read(body)
        }

        func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
            let isGone = state.withLock { state in
                guard state.isGone, state.left > 0 else { return false }
                state = (state.left - 1, false)
                return true
            }
            try await base.write { [scope, account] transaction in
                let isThere = try transaction.account(scope, localID: account.localID) != nil
                if isGone { _ = try transaction.deleteAccount(scope, localID: account.localID) }
                if !isGone, !isThere { try transaction.insertAccount(scope, account) }
            }
            do { return try await base.write(body) } catch {
                // What a rehearsal did is taken back by an error.
                state.withLock { $0.isGone = !isGone }
                throw error
            }
        }

        func ping() async throws { try await base.ping() }

        func close() async throws {}
    }

    private func signIn(
        vanishing times: Int,
        on engine: Engine,
        _ check: (HookedServer, Result<AcceptedSignIn, any Error>) async throws -> Void
    ) async throws {
        let hooked = try await HookedServer.start(["beforeCreate"], on: engine)
        let (server, scope) = (hooked.server, Scope(projectID: "demo-test"))
        let code = try await server.code("EMAIL_SIGNIN", ["email": .string(Self.email), "continueUrl": "http://localhost/"])
        var account = AccountRecord(localID: "vanishing", createdAt: server.clock.now)
        account.email = Self.email
        account.emailVerified = true
        let database = VanishingDatabase(server.core.database, account, scope, times: times)
        let context = CallContext(scope: scope, isPrivileged: false, actor: AuditEvent.user)
        let outcome: Result<AcceptedSignIn, any Error> = try await server.withUseCases(on: database) { useCases in
            do {
                let link = useCases.signIn.emailLink
                return .success(try await link.signIn(email: Self.email, code: code, idToken: nil, context: context))
            } catch {
                return .failure(error)
            }
        }
        #expect(database.left == max(times - 3, 0))
        try await check(hooked, outcome)
        // The store is well: nothing was logged as its failure, and the server is ready.
        #expect(!server.log.lines.contains { $0.hasPrefix("error ") || $0.contains("store") && $0.hasPrefix("warning ") })
        #expect(try await server.client.get("/readyz").status == 200)
    }

    @Test("is told to try again when it always loses, and the store does not count as ill", arguments: Engine.allCases)
    func aborted(engine: Engine) async throws {
        try await signIn(vanishing: 1000, on: engine) { hooked, outcome in
            let error = #expect(throws: APIError.self) { try outcome.get() }
            #expect(error?.code == .aborted)
            #expect(error?.isOverload == false)
            #expect(hooked.asked.isEmpty, "the function was asked about an account that was there")
        }
    }

    @Test("is signed in once it stays", arguments: Engine.allCases)
    func stays(engine: Engine) async throws {
        try await signIn(vanishing: 2, on: engine) { _, outcome in
            let accepted = try outcome.get()
            #expect(!accepted.isNewUser && accepted.account.localID == "vanishing")
        }
    }
}
