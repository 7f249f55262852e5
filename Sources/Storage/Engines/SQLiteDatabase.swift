package import CoreMetrics
import Dispatch
import Foundation
import GRDB
package import Logging
import Project

/// The embedded engine: SQLite through GRDB, one writer with group commit and concurrent readers.
///
/// A database in memory has one connection, which reads and writes in turn, because other connections could not see it. A
/// temporary file instead would put data on a disk although the operator chose memory.
package final class SQLiteDatabase: Database {
    package enum Location: Sendable, Hashable {
        /// A file, relative to the working directory or absolute.
        case file(String)
        /// In memory. The data is lost when the database is closed.
        case memory
    }

    private let writer: DatabaseQueue
    private let readers: [DatabaseQueue]
    private let runners: Runners
    private let health: StoreHealth
    private let logger: Logger

    /// What runs transactions.
    private enum Runners {
        case file(WriteBatcher, ReadPool)
        case memory(SoloConnection)
    }

    /// How long to wait by default for another process that holds the file.
    package static let usualBusyTimeout = Duration.seconds(5)

    private static let cacheOfReadersKiB = 16 * 1024
    private static let leastCacheKiB = 256

    private static let maximumLogBytes = 64 * 1024 * 1024

    /// Opens a database, or creates it when there is none: readable by its owner only, in WAL mode.
    ///
    /// - Parameter readers: How many reads may run at once, at least 1. In memory it is always 1.
    package init(
        _ location: Location,
        readers: Int,
        busyTimeout: Duration = usualBusyTimeout,
        logger: Logger,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) throws {
        var configuration = Configuration()
        configuration.label = "postern"
        configuration.foreignKeysEnabled = true
        configuration.busyMode = BusyWait.mode(timeout: busyTimeout)
        // If a rollback ever fails, the next transaction reports it. Without this setting, GRDB would crash the process.
        configuration.allowsUnsafeTransactions = true
        (self.writer, self.readers) = try SQLiteError.translating { [configuration] in
            switch location {
            case .memory: return (try DatabaseQueue(configuration: configuration), [])
            case .file(let path):
                do {
                    return try Self.open(path, readers: max(readers, 1), patience: busyTimeout, configuration)
                } catch let error as DatabaseError {
                    throw StorageError.unavailable(
                        "\(path) cannot be opened for reading and writing, with the files beside it: \(error.message ?? "")"
                    )
                }
            }
        }
        self.logger = logger
        health = StoreHealth(logger: logger)
        runners =
            self.readers.isEmpty
            ? .memory(SoloConnection(connection: writer, metrics: metrics))
            : .file(WriteBatcher(writer: writer, logger: logger, metrics: metrics), ReadPool(connections: self.readers))
        logger.debug("SQLite is open", metadata: ["readers": "\(max(self.readers.count, 1))"])
    }

    package func read<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
        try await health.watching(.read) {
            switch runners {
            case .file(_, let pool): try await pool.submit(body)
            case .memory(let connection): try await connection.submit(isReadOnly: true, body)
            }
        }
    }

    package func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
        try await health.watching(.write) {
            switch runners {
            case .file(let batcher, _): try await batcher.submit(body)
            case .memory(let connection): try await connection.submit(isReadOnly: false, body)
            }
        }
    }

    package var waitingCount: Int { pools.reduce(0) { $0 + $1.waiting } }

    package var pools: [StorePool] {
        switch runners {
        case .file(let batcher, let pool):
            [Self.pool("write", 1, batcher.load), Self.pool("read", readers.count, pool.load)]
        case .memory(let connection): [Self.pool("any", 1, connection.load)]
        }
    }

    private static func pool(_ kind: String, _ size: Int, _ load: JobLoad) -> StorePool {
        StorePool(kind: kind, size: size, inUse: load.running, waiting: load.waiting)
    }

    package func ping() async throws {
        _ = try await read { try $0.query("SELECT 1") }
        try await health.settle { _ in try await self.write { try $0.changeProbe() } }
    }

    package func close() async throws {
        switch runners {
        case .file(let batcher, let pool):
            await batcher.close()
            await pool.close()
        case .memory(let connection): await connection.close()
        }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            // The last connection moves the log into the database file, which is slow. It must not block a thread of Swift's
            // tasks.
            DispatchQueue(label: "postern.close").async { [readers, writer] in
                continuation.resume(
                    with: Result {
                        try SQLiteError.translating {
                            for reader in readers { try reader.close() }
                            try writer.close()
                        }
                    }
                )
            }
        }
    }

    private static func open(
        _ path: String,
        readers: Int,
        patience: Duration,
        _ configuration: Configuration
    ) throws -> (writer: DatabaseQueue, readers: [DatabaseQueue]) {
        // Keeps SQLite from reading a name as a URI or as `:memory:`.
        let path = path.hasPrefix("/") ? path : "./\(path)"
        try PrivateFile.make(at: path)
        let turn = try OpeningTurn(beside: path, patience: patience)
        defer { turn.end() }
        var writing = configuration
        writing.journalMode = .wal
        let writer = try DatabaseQueue(path: path, configuration: writing)
        try writer.writeWithoutTransaction { connection in
            // GRDB sets NORMAL when it opens a WAL database. Only FULL keeps every acknowledged commit through a power cut.
            try connection.execute(sql: "PRAGMA synchronous = FULL")
            try connection.execute(sql: "PRAGMA journal_size_limit = \(maximumLogBytes)")
        }
        var reading = configuration
        reading.readonly = true
        // What all of them keep in memory does not grow with their number.
        let cacheKiB = max(cacheOfReadersKiB / readers, leastCacheKiB)
        reading.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -\(cacheKiB)") }
        return (writer, try (0..<readers).map { _ in try DatabaseQueue(path: path, configuration: reading) })
    }
}
