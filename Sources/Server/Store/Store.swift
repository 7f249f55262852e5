package import Logging
package import Project
package import Settings
package import Storage
import Tokens

/// Opens the store that the settings name, with its schema up to date.
package enum Store {
    /// Opens and migrates the store.
    ///
    /// - Parameters:
    ///   - settings: `database.*`.
    ///   - patience: How long a call may wait before it is refused as busy; each engine's usual times unless told otherwise.
    ///   - mode: The mode that is to serve the store; one of the other mode is not touched.
    ///   - time: Now.
    ///   - logger: Told of the migrations that were applied.
    /// - Returns: The store and the names of the migrations that were applied.
    /// - Throws: `KeyRing.OtherMode`, `StorageError`.
    package static func open(
        _ settings: DatabaseSettings,
        patience: Duration? = nil,
        mode: ServerMode? = nil,
        at time: Timestamp,
        logger: Logger
    ) async throws -> (database: any Database, applied: [Migration]) {
        try await open(
            settings.location,
            poolSize: settings.poolSize,
            patience: patience,
            mode: mode,
            at: time,
            logger: logger
        )
    }

    /// Opens and migrates the store, which must be there already.
    ///
    /// - Parameters:
    ///   - settings: `database.*`.
    ///   - time: Now.
    ///   - logger: Told of the migrations that were applied.
    /// - Returns: The store.
    /// - Throws: ``StorePlace/NoDatabase``; `StorageError`.
    package static func openExisting(
        _ settings: DatabaseSettings,
        at time: Timestamp,
        logger: Logger
    ) async throws -> any Database {
        try StorePlace.requireDatabase(at: settings.location)
        return try await open(settings, at: time, logger: logger).database
    }

    /// Opens and migrates the store at a location.
    ///
    /// - Parameters:
    ///   - location: Where it is.
    ///   - poolSize: PostgreSQL connections, or SQLite readers.
    ///   - patience: How long a call may wait before it is refused as busy; each engine's usual times unless told otherwise.
    ///   - mode: The mode that is to serve the store; one of the other mode is not touched.
    ///   - time: Now.
    ///   - logger: Told of the migrations that were applied.
    /// - Returns: The store and the names of the migrations that were applied.
    /// - Throws: ``StorePlace/NoDirectory``, `KeyRing.OtherMode`, `StorageError`.
    package static func open(
        _ location: DatabaseSettings.Location,
        poolSize: Int,
        patience: Duration? = nil,
        mode: ServerMode? = nil,
        at time: Timestamp,
        logger: Logger
    ) async throws -> (database: any Database, applied: [Migration]) {
        try StorePlace.requireDirectory(of: location)
        let database: any Database
        let migrator: Migrator
        switch location {
        case .sqlite(let path):
            let timeout = patience ?? SQLiteDatabase.usualBusyTimeout
            database = try SQLiteDatabase(.file(path), readers: poolSize, busyTimeout: timeout, logger: logger)
            migrator = .sqlite
        case .sqliteMemory:
            database = try SQLiteDatabase(.memory, readers: poolSize, logger: logger)
            migrator = .sqlite
        case .postgresql(let uri):
            let limits = patience.map { PostgreSQLDatabase.Limits(connections: poolSize, patience: $0) }
            let server = try PostgreSQLDatabase(uri: uri.reveal(), limits: limits ?? .init(connections: poolSize), logger: logger)
            try await server.checkSessions()
            database = server
            migrator = .postgreSQL
        }
        if let mode { try await KeyRing.checkMode(of: database, purpose: .idTokens(of: mode)) }
        let applied = try await migrator.migrate(database, now: time.milliseconds)
        for migration in applied {
            logger.notice("schema migrated", metadata: ["version": "\(migration.version)", "name": "\(migration.name)"])
        }
        return (database, applied)
    }
}
