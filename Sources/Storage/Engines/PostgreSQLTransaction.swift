/// A transaction on a PostgreSQL connection.
final class PostgreSQLTransaction: Transaction {
    private let connection: PostgreSQLConnection
    /// The failure of the first statement that failed. The transaction is lost from then on.
    private(set) var failure: PostgreSQLFailure?
    /// How many sessions the body ended.
    private(set) var endedSessions = 0

    init(connection: PostgreSQLConnection) { self.connection = connection }

    func query(_ sql: SQL) throws -> [Row] {
        let result = try run(sql)
        do {
            return try result.rows()
        } catch {
            failure = .refused(error)
            throw error
        }
    }

    @discardableResult
    func execute(_ sql: SQL) throws -> Int { try run(sql).changes }

    func noteEndedSessions(_ count: Int) { endedSessions += count }

    private func run(_ sql: SQL) throws -> PostgreSQLResult {
        if let failure { throw failure.storageError }
        do {
            return try connection.run(sql)
        } catch {
            failure = error
            throw error.storageError
        }
    }
}
