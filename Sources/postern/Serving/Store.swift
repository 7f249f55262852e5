import Foundation
import Logging
import Project
import Storage

/// Opens the store that the settings name, with its schema up to date.
enum Store {
    /// The settings name a store that this build cannot open.
    struct Unsupported: Error, CustomStringConvertible {
        let description = "database.url: this version of Postern stores accounts in SQLite only (sqlite:PATH)"
    }

    /// Opens and migrates the store.
    ///
    /// - Parameters:
    ///   - settings: `database.*`.
    ///   - time: Now.
    ///   - logger: Told of the migrations that were applied.
    /// - Returns: The store and the names of the migrations that were applied.
    /// - Throws: `StorageError`, ``Unsupported``.
    static func open(
        _ settings: DatabaseSettings,
        at time: Timestamp,
        logger: Logger
    ) async throws -> (database: any Database, applied: [Migration]) {
        let database: any Database
        switch settings.location {
        case .sqlite(let path): database = try SQLiteDatabase(.file(path), readers: settings.poolSize, logger: logger)
        case .sqliteMemory: database = try SQLiteDatabase(.memory, readers: settings.poolSize, logger: logger)
        case .postgresql: throw Unsupported()
        }
        let applied = try await Migrator.sqlite.migrate(database, now: time.milliseconds)
        for migration in applied {
            logger.notice("schema migrated", metadata: ["version": "\(migration.version)", "name": "\(migration.name)"])
        }
        return (database, applied)
    }
}
