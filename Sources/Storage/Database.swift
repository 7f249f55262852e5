/// The inside of a transaction: synchronous, so that no network call and no password hash can hide in one.
///
/// It lives only inside the closure that it is given to. Once a statement has failed the transaction is lost, as in PostgreSQL:
/// every later statement throws the same error, and so does the transaction, even where its body caught the error. What has to
/// go on after a conflict says so in SQL: `ON CONFLICT`.
package protocol Transaction {
    /// Runs a statement and collects the rows that it returns.
    ///
    /// - Throws: ``StorageError``.
    func query(_ sql: SQL) throws -> [Row]

    /// Runs a statement for its effect.
    ///
    /// - Returns: How many rows it inserted, updated or deleted itself, not counting cascades; 0 for any other statement.
    /// - Throws: ``StorageError``.
    @discardableResult
    func execute(_ sql: SQL) throws -> Int
}

extension Transaction {
    /// The first row of a result, or `nil` where there is none.
    ///
    /// - Throws: ``StorageError``.
    package func queryOne(_ sql: SQL) throws -> Row? { try query(sql).first }
}

/// A store: transactions on whichever engine there is.
package protocol Database: Sendable {
    /// Runs a body against one unchanging view of the store, taken when its first statement runs. The body must not write.
    ///
    /// A task that is cancelled takes back a body that waits for its turn, and none that has begun. What it hands over afterwards is
    /// run like any other: it tidies up.
    ///
    /// - Throws: ``StorageError``, `CancellationError`, and whatever the body throws.
    func read<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T

    /// Runs a body as one atomic, isolated and durable change; returns once it is on disk.
    ///
    /// The body may run more than once, so it must be pure in its inputs: it draws no randomness, reads no clock, and leaves
    /// nothing behind but its result. A body that throws changes nothing. A task's cancellation does not reach a body that has
    /// begun: a sign-in is never half done. One that waits for its turn is taken back, as with ``read(_:)``.
    ///
    /// - Throws: ``StorageError``, `CancellationError`, and whatever the body throws.
    func write<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T

    /// How many transactions wait for their turn, for metrics.
    var waitingCount: Int { get }

    /// Checks that the store answers, and that it takes writes when the last thing known is that one failed.
    ///
    /// - Throws: ``StorageError``.
    func ping() async throws

    /// Finishes what was handed over and closes the store; later calls throw ``StorageError/closed``. Closing again does nothing.
    ///
    /// - Throws: ``StorageError``.
    func close() async throws
}

extension Database {
    package var waitingCount: Int { 0 }
}
