import Foundation
import GRDB
import Project

/// The embedded engine: SQLite through GRDB, one writer with group commit and many readers.
package final class SQLiteDatabase: Database {
    private let writer: any DatabaseWriter
    private let batcher: WriteBatcher

    private static let busyTimeoutSeconds = 5.0

    /// Opens a database file, and makes it when there is none: readable by its owner only, in WAL mode.
    ///
    /// - Parameters:
    ///   - path: The file; its directory is made when missing. `nil` for a database in memory.
    ///   - readers: How many reads may run at once.
    /// - Throws: ``StorageError``.
    package init(path: String?, readers: Int) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(Self.busyTimeoutSeconds)
        configuration.maximumReaderCount = max(readers, 1)
        configuration.label = "postern"
        writer = try SQLiteError.translating {
            guard let path else { return try DatabaseQueue(configuration: configuration) }
            try Self.prepareFile(path)
            let pool = try DatabasePool(path: path, configuration: configuration)
            // GRDB sets NORMAL when it opens the pool; only FULL survives a power cut with every acknowledged commit.
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            return pool
        }
        batcher = WriteBatcher(writer: writer)
    }

    package func read<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<T, any Error>) in
            writer.asyncRead { connection in
                let result = Result {
                    try SQLiteError.translating { try body(SQLiteTransaction(connection: try connection.get())) }
                }
                continuation.resume(with: result)
            }
        }
    }

    package func write<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await batcher.submit(body)
    }

    package func ping() async throws { _ = try await read { try $0.query("SELECT 1") } }

    package func close() async throws {
        await batcher.close()
        try SQLiteError.translating { try writer.close() }
    }

    // The file must be private before SQLite writes into it; its -wal and -shm files take over its mode.
    private static func prepareFile(_ path: String) throws {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        } catch {
            throw StorageError.unavailable("cannot make the directory \(directory.path)")
        }
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { Glibc.close(descriptor) }
    }
}
