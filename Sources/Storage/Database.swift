/// A transaction as its body sees it. It is synchronous, so that no body can make a network call or hash a password.
///
/// It is valid only inside the closure that receives it. After a statement has failed, the transaction is lost, as in PostgreSQL:
/// every later statement throws the same error, and so does the transaction, even if its body caught the error. A statement after
/// which the transaction must continue handles its conflicts in SQL: `ON CONFLICT`.
///
/// Rows that are there already are changed in one order: codes of e-mails, then sessions, then the account. Transactions of one account
/// would wait for each other otherwise, until PostgreSQL ends one of them (`LockOrderTests`).
package struct Transaction {
    // A case for each engine rather than a protocol: the store's code is compiled for this type, not for any.
    enum Engine {
        case sqlite(SQLiteTransaction)
        case postgreSQL(PostgreSQLTransaction)
        indirect case observed(Transaction, (SQL) -> Void)
    }

    let engine: Engine

    /// Runs a statement and collects the rows that it returns.
    package func query(_ sql: SQL) throws -> [Row] {
        switch engine {
        case .sqlite(let transaction): return try transaction.query(sql)
        case .postgreSQL(let transaction): return try transaction.query(sql)
        case .observed(let transaction, let observe):
            observe(sql)
            return try transaction.query(sql)
        }
    }

    /// Runs a query and returns its first row, or `nil` if it has none.
    package func queryOne(_ sql: SQL) throws -> Row? { try query(sql).first }

    /// Runs a statement for its effect.
    ///
    /// - Returns: How many rows it inserted, updated or deleted itself, not counting cascades; 0 for any other statement.
    @discardableResult
    package func execute(_ sql: SQL) throws -> Int {
        switch engine {
        case .sqlite(let transaction): return try transaction.execute(sql)
        case .postgreSQL(let transaction): return try transaction.execute(sql)
        case .observed(let transaction, let observe):
            observe(sql)
            return try transaction.execute(sql)
        }
    }

    /// Notes sessions that the transaction ended. They are counted for metrics once it is committed.
    package func noteEndedSessions(_ count: Int) {
        switch engine {
        case .sqlite(let transaction): transaction.endedSessions += count
        case .postgreSQL(let transaction): transaction.endedSessions += count
        case .observed(let transaction, _): transaction.noteEndedSessions(count)
        }
    }

    /// The same transaction, of whose statements an observer learns before they run.
    package func observed(by observe: @escaping (SQL) -> Void) -> Transaction {
        Transaction(engine: .observed(self, observe))
    }
}

/// What a caller adds to the transaction of an action: both happen, or none. It may run more than once, as a transaction may.
package typealias TransactionPart = @Sendable (Transaction) throws -> Void

/// A store: transactions on one of the engines.
package protocol Database: Sendable {
    /// Runs a body on one snapshot of the store, taken when its first statement runs. The body must not write.
    ///
    /// Cancelling the task takes a body back that still waits. A body that has begun is finished.
    func read<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T

    /// Runs a body as one atomic, isolated and durable change. It returns once the change is on disk.
    ///
    /// The body may run more than once, so it must depend on its inputs only: it draws no randomness, reads no clock, and has no
    /// effect besides its result. A body that throws changes nothing. Cancelling the task takes a body back that
    /// still waits. A body that has begun is finished, so that no sign-in is half undone.
    func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T

    /// How many transactions wait for their turn, for metrics.
    var waitingCount: Int { get }

    /// How busy its connections are, for metrics.
    var pools: [StorePool] { get }

    /// How far the standbys of the database server are behind, for metrics; `nil` without standbys, as always with SQLite.
    func replication() async throws -> Replication?

    /// Checks that the store answers. If the last write failed, it also checks that the store accepts writes.
    func ping() async throws

    /// Finishes the submitted transactions and closes the store. Later calls throw ``StorageError/closed``; closing again does
    /// nothing.
    func close() async throws
}

extension Database {
    package var waitingCount: Int { 0 }

    package var pools: [StorePool] { [] }

    package func replication() async throws -> Replication? { nil }
}

/// The standbys of a database server.
package struct Replication: Sendable, Hashable {
    /// How many are connected.
    package let standbys: Int
    /// By how much the slowest is behind, in milliseconds.
    package let lagMilliseconds: Int64
}
