import Project
import Storage

/// A call of a repository's method, with arguments by which each of its statements runs.
struct RepositoryCall: Sendable {
    /// The method with its labels, `account(_:email:)`.
    let method: String
    let run: @Sendable (Transaction) throws -> Void

    init(_ method: String, _ run: @escaping @Sendable (Transaction) throws -> Void) {
        self.method = method
        self.run = run
    }

    /// Every method at least once. Later calls find what earlier ones have stored.
    static let all: [RepositoryCall] =
        accounts + sessions + codes + throttles + audit + outbox + operators + configuration + store

    static let scope = Scope(projectID: "p")
    static let tenant = Scope(projectID: "p", tenantID: "t")
    static let time = Timestamp(milliseconds: 1_700_000_000_000)
    static let later = time.advanced(by: .seconds(60))

    /// Runs all calls in one transaction of a store that has the schema.
    ///
    /// - Returns: The statements of each call, in order.
    static func record(on database: any Database) async throws -> [(method: String, statement: SQL)] {
        try await database.write { transaction in
            var recorded: [(method: String, statement: SQL)] = []
            for call in all { try call.run(transaction.observed { recorded.append((call.method, $0)) }) }
            return recorded
        }
    }
}
