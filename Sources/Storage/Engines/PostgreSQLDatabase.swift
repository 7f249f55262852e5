package import Logging

/// The engine for several nodes: PostgreSQL, or a server that speaks its protocol, through libpq.
///
/// Writes are serializable and run again after conflicts; reads see one snapshot. If the connection breaks during a commit, the
/// write is reported as ``StorageError/outcomeUnknown`` and never repeated.
package final class PostgreSQLDatabase: Database {
    /// The limits of the engine.
    package struct Limits: Sendable {
        /// Connections. Each is opened when it is first needed. At least 1.
        package var connections: Int
        /// How many transactions may wait for a connection. Further ones are refused as `busy`.
        package var waiting = 10_000
        /// How long a transaction waits for a connection before it is refused as `busy`.
        package var waitingTime = Duration.seconds(5)
        /// How long a transaction is repeated after conflicts before it is refused as `busy`.
        package var conflictTime = Duration.seconds(10)
        var timeouts = PostgreSQLConnection.Timeouts()

        /// The usual limits.
        package init(connections: Int) { self.connections = max(connections, 1) }

        /// Limits with the same time for every kind of waiting.
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

    /// Prepares the engine. It connects with the first transaction.
    ///
    /// - Parameters:
    ///   - uri: A connection URI for libpq, `postgresql://…`. Its settings for TLS, hosts and timeouts apply.
    ///   - limits: The limits of the engine.
    ///   - logger: Logs lost connections, but never the URI or values.
    /// - Throws: ``StorageError/unavailable(_:)`` when the URI cannot be read.
    package init(uri: String, limits: Limits, logger: Logger) throws {
        address = try PostgreSQLAddress(uri: uri)
        self.limits = limits
        pool = PostgreSQLPool(address: address, limits: limits, logger: logger)
    }

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
            // The role may not create tables, or the server allows none in a transaction. Then only the usual write decides.
        }
    }

    package func close() async throws { await pool.close() }
}
