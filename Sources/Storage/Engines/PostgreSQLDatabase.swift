package import CoreMetrics
package import Logging
import Project

/// The engine for several nodes: PostgreSQL, or a server that speaks its protocol, through libpq.
///
/// Writes are serializable and run again after conflicts; reads see one snapshot. If the connection breaks during a commit, the
/// write is reported as ``StorageError/outcomeUnknown`` and never repeated.
package final class PostgreSQLDatabase: Database {
    package struct Limits: Sendable {
        /// Connections. Each is opened when it is first needed. At least 1.
        package var connections: Int
        /// How many transactions may wait for a connection. Further ones are refused as `busy`.
        package var waiting = 10_000
        /// How long a transaction waits for a connection before it is refused as `busy`.
        package var waitingTime = Duration.seconds(2)
        /// How long a transaction is repeated after conflicts before it is refused as `busy`.
        package var conflictTime = Duration.seconds(10)
        /// How long all transactions of one call may wait together.
        package var callTime: Duration
        /// How long a host may take to accept a connection, in whole seconds and at least 2.
        package var connectTime: Duration
        var timeouts: PostgreSQLConnection.Timeouts

        package static let usualAnswerSeconds = 3
        /// What a call may wait longer than for one answer, so that it is usually answered within 5 seconds, whatever the server does.
        package static let timeBesidesAnswer = Duration.seconds(1)
        /// The usual bound for a connection, the least that libpq knows.
        package static let usualConnectSeconds = 2

        /// Limits for the calls of clients.
        package init(
            connections: Int,
            answer: Duration = .seconds(usualAnswerSeconds),
            connect: Duration = .seconds(usualConnectSeconds)
        ) {
            self.connections = max(connections, 1)
            connectTime = max(connect, .seconds(Self.usualConnectSeconds))
            timeouts = .init(answer: answer)
            callTime = answer + Self.timeBesidesAnswer
        }

        /// Limits for commands and migrations, whose statements may take an hour.
        package static func slow(connections: Int) -> Limits {
            var limits = Limits(connections: connections, connect: .seconds(5))
            (limits.timeouts, limits.waitingTime, limits.callTime) = (.slow, .seconds(3600), .seconds(3600))
            return limits
        }

        /// Limits with the same time for every kind of waiting.
        package init(connections: Int, patience: Duration) {
            self.init(connections: connections)
            (waitingTime, conflictTime, connectTime) = (patience, patience, max(patience, connectTime))
            callTime = patience
            timeouts = .patient(patience)
        }
    }

    private let pool: PostgreSQLPool
    private let health: StoreHealth
    let address: PostgreSQLAddress
    let limits: Limits

    /// Prepares the engine. It connects with the first transaction.
    ///
    /// - Parameters:
    ///   - uri: A connection URI for libpq, `postgresql://…`. Its settings for TLS, hosts and timeouts apply.
    ///   - logger: Never gets the URI or values.
    package init(
        uri: String,
        limits: Limits,
        logger: Logger,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) throws {
        address = try PostgreSQLAddress(uri: uri, connect: limits.connectTime)
        self.limits = limits
        health = StoreHealth(logger: logger)
        pool = PostgreSQLPool(.init(address: address, limits: limits, figures: CommitFigures(metrics), health: health))
    }

    package func read<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
        try await health.watching(.read) { try await pool.submit(.read, body) }
    }

    package func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
        try await health.watching(.write) { try await pool.submit(.write, body) }
    }

    package var waitingCount: Int { pool.load.waiting }

    package var pools: [StorePool] {
        let load = pool.load
        return [StorePool(kind: "any", size: limits.connections, inUse: load.running, waiting: load.waiting)]
    }

    // The server has no lag of a standby that has caught up, and shows none to a role without `pg_monitor`.
    package func replication() async throws -> Replication? {
        let row = try await read { transaction in
            try transaction.queryOne(
                """
                SELECT COUNT(*) AS standbys, CAST(COALESCE(MAX(EXTRACT(EPOCH FROM replay_lag)), 0) * 1000 AS BIGINT) AS lag \
                FROM pg_stat_replication
                """
            )
        }
        guard let row, case let standbys = try row.integer("standbys"), standbys > 0 else { return nil }
        return Replication(standbys: Int(standbys), lagMilliseconds: try row.integer("lag"))
    }

    package func ping() async throws {
        _ = try await read { try $0.query("SELECT 1") }
        try await health.settle { isSpaceInDoubt in
            if isSpaceInDoubt { try await self.growTable() }
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
