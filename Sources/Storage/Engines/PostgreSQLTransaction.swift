/// A transaction on a PostgreSQL connection.
final class PostgreSQLTransaction {
    private let connection: PostgreSQLConnection
    /// The failure of the first statement that failed. The transaction is lost from then on.
    private(set) var failure: PostgreSQLFailure?
    /// How many sessions the body ended.
    var endedSessions = 0

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

    func execute(_ sql: SQL) throws -> Int { try run(sql).changes }

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
