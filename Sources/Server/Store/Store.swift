package import CoreMetrics
package import Logging
package import Project
package import Settings
package import Storage
import Tokens

/// Opens the store that the settings name, with its schema up to date.
package enum Store {
    /// An open store whose schema may be an older one.
    struct Opened: Sendable {
        let database: any Database
        fileprivate let location: DatabaseSettings.Location
        fileprivate let migrator: Migrator

        /// Brings the schema up to date.
        @discardableResult
        func migrate(at time: Timestamp, logger: Logger) async throws -> [Migration] {
            let applied = try await Store.migrate(location, database, migrator, at: time, logger: logger)
            for migration in applied {
                logger.notice("schema migrated", metadata: ["version": "\(migration.version)", "name": "\(migration.name)"])
            }
            return applied
        }
    }

    /// Opens the store of a server, without changing anything in it.
    ///
    /// - Parameter mode: A store of the other mode is refused.
    static func connect(
        _ settings: DatabaseSettings,
        pace: StorePace,
        mode: ServerMode?,
        logger: Logger,
        metrics: any MetricsFactory
    ) async throws -> Opened {
        try await connect(
            settings.location,
            limits: pace.limits(settings),
            busyTimeout: pace.busyTimeout,
            mode: mode,
            logger: logger,
            metrics: metrics
        )
    }

    /// Opens and migrates the store.
    package static func open(
        _ settings: DatabaseSettings,
        pace: StorePace,
        mode: ServerMode? = nil,
        at time: Timestamp,
        logger: Logger,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) async throws -> (database: any Database, applied: [Migration]) {
        let opened = try await connect(settings, pace: pace, mode: mode, logger: logger, metrics: metrics)
        return (opened.database, try await opened.migrate(at: time, logger: logger))
    }

    /// Opens and migrates the store for a command. It must be there already.
    ///
    /// - Throws: ``StorePlace/NoDatabase``.
    package static func openExisting(
        _ settings: DatabaseSettings,
        at time: Timestamp,
        logger: Logger
    ) async throws -> any Database {
        try StorePlace.requireDatabase(at: settings.location)
        return try await open(settings, pace: .command, at: time, logger: logger).database
    }

    /// Opens and migrates the store at a location.
    ///
    /// - Parameter limits: The limits of PostgreSQL. Its number of connections is that of SQLite's readers, too.
    package static func open(
        _ location: DatabaseSettings.Location,
        limits: PostgreSQLDatabase.Limits,
        at time: Timestamp,
        logger: Logger
    ) async throws -> (database: any Database, applied: [Migration]) {
        let opened = try await connect(location, limits: limits, logger: logger)
        return (opened.database, try await opened.migrate(at: time, logger: logger))
    }

    private static func connect(
        _ location: DatabaseSettings.Location,
        limits: PostgreSQLDatabase.Limits,
        busyTimeout: Duration = SQLiteDatabase.usualBusyTimeout,
        mode: ServerMode? = nil,
        logger: Logger,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) async throws -> Opened {
        try StorePlace.requireDirectory(of: location)
        let database: any Database
        let migrator: Migrator
        switch location {
        case .sqlite(let path):
            database = try SQLiteDatabase(
                .file(path),
                readers: limits.connections,
                busyTimeout: busyTimeout,
                logger: logger,
                metrics: metrics
            )
            migrator = .sqlite
        case .sqliteMemory:
            database = try SQLiteDatabase(.memory, readers: limits.connections, logger: logger)
            migrator = .sqlite
        case .postgresql(let uri):
            let server = try PostgreSQLDatabase(uri: uri.reveal(), limits: limits, logger: logger, metrics: metrics)
            try await server.checkSessions()
            database = server
            migrator = .postgreSQL
        }
        if let mode { try await KeyRing.checkMode(of: database, purpose: .idTokens(of: mode)) }
        return Opened(database: database, location: location, migrator: migrator)
    }

    /// Migrates a store. PostgreSQL may take longer for a step of the schema than for a call, so it gets a connection for that.
    private static func migrate(
        _ location: DatabaseSettings.Location,
        _ database: any Database,
        _ migrator: Migrator,
        at time: Timestamp,
        logger: Logger
    ) async throws -> [Migration] {
        guard case .postgresql(let uri) = location else { return try await migrator.migrate(database, now: time.milliseconds) }
        let slow = try PostgreSQLDatabase(uri: uri.reveal(), limits: .slow(connections: 1), logger: logger)
        let outcome: Result<[Migration], any Error>
        do { outcome = .success(try await migrator.migrate(slow, now: time.milliseconds)) } catch { outcome = .failure(error) }
        try await slow.close()
        return try outcome.get()
    }
}
