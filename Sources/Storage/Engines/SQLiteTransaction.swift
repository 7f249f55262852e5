import GRDB

/// A transaction on a GRDB connection.
final class SQLiteTransaction {
    private let connection: GRDB.Database
    private let isReadOnly: Bool
    /// The error of the first statement that failed. The transaction is lost from then on.
    private(set) var failure: StorageError?
    /// How many sessions the body ended.
    var endedSessions = 0

    init(connection: GRDB.Database, isReadOnly: Bool) {
        self.connection = connection
        self.isReadOnly = isReadOnly
    }

    func query(_ sql: SQL) throws -> [Row] {
        try remembering { try connection.rows(sql, isReadOnly: isReadOnly) }
    }

    func execute(_ sql: SQL) throws -> Int {
        try remembering { try connection.changes(sql, isReadOnly: isReadOnly) }
    }

    /// Runs a body. It fails if one of its statements failed, even if the body ignored the error.
    func run<T>(_ body: (Transaction) throws -> T) -> Result<T, any Error> {
        Result {
            let value = try body(Transaction(engine: .sqlite(self)))
            if let failure { throw failure }
            return value
        }
    }

    private func remembering<T>(_ statement: () throws -> T) throws -> T {
        if let failure { throw failure }
        do {
            return try statement()
        } catch {
            failure = error as? StorageError
            throw error
        }
    }
}
