package import Logging

/// The engine for several nodes: PostgreSQL, or what speaks its protocol, through libpq.
///
/// Writes are serializable and run again when another one was in the way; reads see one snapshot. A write that was sent to be
/// committed when the connection broke is reported as ``StorageError/outcomeUnknown`` and never repeated.
package final class PostgreSQLDatabase: Database {
    /// How much and how long.
    package struct Limits: Sendable {
        /// Connections, each opened when it is first needed; at least 1.
        package var connections: Int
        /// How many transactions may wait for a connection; one more is refused as `busy`.
        package var waiting = 10_000
        /// How long a transaction waits for a connection before it is refused as `busy`.
        package var waitingTime = Duration.seconds(5)
        /// For how long a transaction is run again after conflicts before it is refused as `busy`.
        package var conflictTime = Duration.seconds(10)
        var timeouts = PostgreSQLConnection.Timeouts()

        /// The usual limits.
        package init(connections: Int) { self.connections = max(connections, 1) }

        /// Limits that wait for everything equally long.
        package init(connections: Int, patience: Duration) {
            self.init(connections: connections)
            (waitingTime, conflictTime) = (patience, patience)
            timeouts = .init(statement: patience, lock: patience, idleInTransaction: patience, answer: patience)
        }
    }

    private let pool: PostgreSQLPool
    private let doubt = WriteDoubt()
    let address: PostgreSQLAddress
    let limits: Limits

    /// Prepares for a server; connects with the first transaction.
    ///
    /// - Parameters:
    ///   - uri: A connection URI of libpq's, `postgresql://…`; what it says about TLS, hosts and timeouts holds.
    ///   - limits: How much and how long.
    ///   - logger: Hears of lost connections; never of the URI or of values.
    /// - Throws: ``StorageError/unavailable(_:)`` when the URI cannot be read.
    package init(uri: String, limits: Limits, logger: Logger) throws {
        address = try PostgreSQLAddress(uri: uri)
        self.limits = limits
        pool = PostgreSQLPool(address: address, limits: limits, logger: logger)
    }

    deinit { pool.stop() }

    package func read<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await pool.submit(.read, body)
    }

    package func write<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await doubt.watching { try await pool.submit(.write, body) }
    }

    package var waitingCount: Int { pool.waitingCount }

    package func ping() async throws {
        _ = try await read { try $0.query("SELECT 1") }
        try await doubt.settle { doubt in
            if doubt == .space { try await self.growTable() }
            try await self.write { try $0.changeProbe() }
        }
    }

    private func growTable() async throws {
        do {
            try await pool.submit(.write) { try $0.growTable() }
        } catch StorageError.other {
            // The role may make no tables, or the server none within a transaction: the usual write decides alone.
        }
    }

    package func close() async throws { await pool.close() }
}
