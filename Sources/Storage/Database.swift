/// The inside of a transaction: synchronous, so that no network call and no password hash can hide in one.
///
/// It lives only inside the closure that it is given to.
package protocol Transaction {
    /// Runs a statement that returns rows.
    ///
    /// - Throws: ``StorageError``.
    func query(_ sql: SQL) throws -> [Row]

    /// Runs a statement that returns none.
    ///
    /// - Returns: How many rows it changed.
    /// - Throws: ``StorageError``.
    @discardableResult
    func execute(_ sql: SQL) throws -> Int
}

extension Transaction {
    /// The first row of a result, or `nil`.
    ///
    /// - Throws: ``StorageError``.
    package func queryOne(_ sql: SQL) throws -> Row? { try query(sql).first }
}

/// A store: transactions on whichever engine there is.
package protocol Database: Sendable {
    /// Runs a body against an unchanging view of the store. The body must not write.
    ///
    /// - Throws: ``StorageError``, and whatever the body throws.
    func read<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T

    /// Runs a body as one atomic, isolated, durable change; returns once it is on disk.
    ///
    /// The body may run more than once, so it must be pure in its inputs: it draws no randomness and reads no clock. A body
    /// that throws changes nothing. A task's cancellation does not reach a body that has been handed over.
    ///
    /// - Throws: ``StorageError``, and whatever the body throws.
    @discardableResult
    func write<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T

    /// Checks that the store answers.
    ///
    /// - Throws: ``StorageError``.
    func ping() async throws

    /// Finishes the writes that were handed over and closes the store; later calls throw ``StorageError/closed``.
    ///
    /// - Throws: ``StorageError``.
    func close() async throws
}

/// What can go wrong in a store, in the same words for every engine. No case carries a bound value.
package enum StorageError: Error, Equatable, Sendable {
    /// A primary key or unique index of that table has the value already.
    case uniqueViolation(table: String)
    /// A row refers to one that is not there.
    case foreignKeyViolation
    /// Too many wait, or another process holds the store too long.
    case busy
    /// The store cannot be reached.
    case unavailable(String)
    /// The store can only be read.
    case readOnly
    /// There is no space left.
    case full
    /// The schema is not what this binary needs.
    case migration(String)
    /// A column is missing or holds another type.
    case decoding(column: String)
    /// The store has been closed.
    case closed
    case other(String)
}
