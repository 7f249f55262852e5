import Dispatch
import Foundation
import GRDB
import Project

/// Copies an SQLite database while it is in use.
package enum SQLiteBackup {
    /// Why a backup was not made.
    package enum Failure: Error, CustomStringConvertible {
        case targetExists(String)
        case noDatabase(String)
        case damaged(String)
        case foreign(String)

        package var description: String {
            switch self {
            case .targetExists(let path): "\(path) exists already; a backup overwrites nothing"
            case .noDatabase(let path): "there is no database at \(path)"
            case .damaged(let path): "the copy of \(path) failed its integrity check and was removed"
            case .foreign(let reason): "the backup is no database of Postern: \(reason)"
            }
        }
    }

    /// Writes a copy of one snapshot of a database and checks it. The database stays in use meanwhile.
    ///
    /// The file gets its name only when it is complete and on disk. Writers are not delayed, because the copy reads a snapshot
    /// (sqlite.org/lang_vacuum.html#vacuuminto).
    ///
    /// - Parameter target: The file to create, readable by its owner only.
    package static func copy(_ source: String, to target: String) async throws -> Int64 {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "postern.backup").async {
                continuation.resume(with: Result { try copyBlocking(source, to: target) })
            }
        }
    }

    private static func copyBlocking(_ source: String, to target: String) throws -> Int64 {
        let files = FileManager.default
        guard files.fileExists(atPath: source) else { throw Failure.noDatabase(source) }
        guard !files.fileExists(atPath: target) else { throw Failure.targetExists(target) }
        let partial = "\(target).partial-\(UUID().uuidString)"
        defer { try? files.removeItem(atPath: partial) }
        try PrivateFile.make(at: partial)
        try SQLiteError.translating {
            let queue = try queue(at: source)
            try queue.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [partial]) }
            try queue.close()
            guard try isSound(partial) else { throw Failure.damaged(source) }
        }
        try flush(partial)
        // A link, unlike a rename, never replaces a file that was created in the meantime.
        guard link(partial, target) == 0 else {
            throw errno == EEXIST ? Failure.targetExists(target) : StorageError.unavailable("\(target) cannot be made")
        }
        try flush(URL(fileURLWithPath: target).deletingLastPathComponent().path)
        return (try files.attributesOfItem(atPath: target)[.size] as? NSNumber)?.int64Value ?? 0
    }

    /// Checks a copy: whether it is a whole database, and one of Postern.
    package static func verify(_ path: String) async throws {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "postern.backup").async {
                continuation.resume(
                    with: Result {
                        guard FileManager.default.fileExists(atPath: path) else { throw Failure.noDatabase(path) }
                        guard try isSound(path) else { throw Failure.damaged(path) }
                        try requireOwn(path)
                    }
                )
            }
        }
    }

    private static func isSound(_ path: String) throws -> Bool {
        try SQLiteError.translating {
            let queue = try queue(at: path)
            let isSound = try queue.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") == "ok" }
            try queue.close()
            return isSound
        }
    }

    /// Makes sure that a file is a database of Postern, and that nothing in it runs by itself.
    ///
    /// No migration makes a view, a trigger or a virtual table. One in a backup would act on whatever the server writes later.
    package static func requireOwn(_ path: String) throws {
        try SQLiteError.translating {
            let queue = try queue(at: path)
            try queue.read { database in
                let tables = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations'"
                guard try Int.fetchOne(database, sql: tables) == 1 else { throw Failure.foreign("it has no schema_migrations") }
                let active = """
                    SELECT count(*) FROM sqlite_schema
                    WHERE type NOT IN ('table', 'index') OR (type = 'table' AND coalesce(rootpage, 0) = 0)
                    """
                guard try Int.fetchOne(database, sql: active) == 0 else {
                    throw Failure.foreign("it has triggers, views or virtual tables, which no migration makes")
                }
            }
            try queue.close()
        }
    }

    private static func queue(at path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        return try DatabaseQueue(path: path.hasPrefix("/") ? path : "./\(path)", configuration: configuration)
    }

    // SQLite does not flush such a copy to disk itself.
    private static func flush(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StorageError.unavailable("\(path) cannot be opened") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw StorageError.unavailable("\(path) cannot be written to disk") }
    }
}
