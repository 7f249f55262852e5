package import Project

/// One step of the schema: the content of `Migrations/ENGINE/NNNN_name.sql`.
package struct Migration: Sendable, Hashable {
    package let version: Int
    package let name: String
    /// Statements, each ending with `;` at the end of a line; lines beginning with `--` are comments.
    package let sql: String

    package init(version: Int, name: String, sql: String) {
        self.version = version
        self.name = name
        self.sql = sql
    }

    var checksum: String { hexadecimal(sha256(sql.utf8)) }

    var statements: [SQL] {
        var statements: [SQL] = []
        var current: [Substring] = []
        for line in sql.split(separator: "\n") where !line.hasPrefix("--") {
            current.append(line)
            guard line.hasSuffix(";") else { continue }
            statements.append(SQL(stringLiteral: current.joined(separator: "\n")))
            current = []
        }
        return statements
    }
}

/// Brings a store's schema up to what this binary needs.
///
/// Each migration is one transaction and is recorded with a checksum. Nodes that start at once migrate once: the loser of the
/// race finds the winner's record.
package struct Migrator: Sendable {
    private let migrations: [Migration]

    /// - Parameter migrations: Every migration that this binary knows, in the order of their versions.
    package init(_ migrations: [Migration]) { self.migrations = migrations }

    /// Applies what is missing.
    ///
    /// - Parameters:
    ///   - database: The store.
    ///   - time: Now, for the record.
    /// - Returns: The migrations that were applied.
    /// - Throws: ``StorageError/migration(_:)`` when an applied migration has changed or is missing, or the schema is newer
    ///   than this binary.
    @discardableResult
    package func migrate(_ database: any Database, at time: Timestamp) async throws -> [Migration] {
        try await database.write { transaction in
            try transaction.execute(
                """
                CREATE TABLE IF NOT EXISTS schema_migrations (
                    version BIGINT NOT NULL, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL,
                    PRIMARY KEY (version))
                """
            )
        }
        var applied: [Migration] = []
        for migration in migrations {
            do {
                let isNew = try await database.write { try self.apply(migration, in: $0, at: time) }
                if isNew { applied.append(migration) }
            } catch StorageError.uniqueViolation {
                // Another node applied it first.
                continue
            }
        }
        try await database.read(check)
        return applied
    }

    private func apply(_ migration: Migration, in transaction: any Transaction, at time: Timestamp) throws -> Bool {
        try check(transaction)
        let version = Int64(migration.version)
        let known = try transaction.query("SELECT version FROM schema_migrations WHERE version = \(version)")
        guard known.isEmpty else { return false }
        for statement in migration.statements { try transaction.execute(statement) }
        try transaction.execute(
            """
            INSERT INTO schema_migrations (version, name, checksum, applied_at)
            VALUES (\(version), \(migration.name), \(migration.checksum), \(time.milliseconds))
            """
        )
        return true
    }

    @Sendable
    private func check(_ transaction: any Transaction) throws {
        for row in try transaction.query("SELECT version, name, checksum FROM schema_migrations ORDER BY version") {
            let version = Int(try row.integer("version"))
            let name = try row.text("name")
            guard let migration = migrations.first(where: { $0.version == version }) else {
                let newest = migrations.last?.version ?? 0
                throw StorageError.migration(
                    version > newest
                        ? "the database has schema version \(version), this binary knows up to \(newest); run a newer postern"
                        : "the database has applied migration \(version) (\(name)), which this binary lacks"
                )
            }
            guard try row.text("checksum") == migration.checksum, name == migration.name else {
                throw StorageError.migration("migration \(version) (\(name)) was changed after it had been applied")
            }
        }
    }
}
