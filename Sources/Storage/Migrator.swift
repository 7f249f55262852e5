import Migrations
import Project

/// One step of the schema: the content of `Migrations/Steps/NNNN_name.sql`, or of the file that PostgreSQL has
/// instead.
package struct Migration: Sendable, Hashable {
    /// The number that the file's name begins with, from 1.
    package let version: Int
    /// The rest of the file's name, without its ending.
    package let name: String
    /// The file's text, see ``SQLScript``.
    package let sql: String
    /// SHA-256 of the text in lower-case hexadecimal. It shows whether a file has changed.
    let checksum: String

    /// Makes a step of the schema.
    package init(version: Int, name: String, sql: String) {
        self.version = version
        self.name = name
        self.sql = sql
        checksum = hexadecimal(sha256(sql.utf8))
    }

    var title: String { Self.title(version, name) }

    static func title(_ version: Int, _ name: String) -> String { "\(version) (\(name))" }
}

/// Migrates a store's schema to the version that this binary needs.
///
/// Each migration is one transaction, which also records it with a checksum. If several processes start at once, only one
/// migrates; the others find its record.
package struct Migrator: Sendable {
    private let migrations: [Migration]

    package init(migrations: [Migration]) { self.migrations = migrations.sorted { $0.version < $1.version } }

    /// Applies the missing migrations in the order of their versions.
    ///
    /// - Parameter now: Milliseconds since the epoch, for the record.
    /// - Throws: ``StorageError/migration(_:)`` when an applied migration has changed or is missing, when the schema is newer
    ///   than this binary, or when a statement fails.
    @discardableResult
    package func migrate(_ database: any Database, now: Int64) async throws -> [Migration] {
        for (one, next) in zip(migrations, migrations.dropFirst()) where one.version == next.version {
            throw StorageError.migration("two migrations have version \(one.version)")
        }
        try await makeTable(database)
        // This check comes before the first step, so that an unknown schema is left unchanged.
        let known = try await database.read { try check($0) }
        var applied: [Migration] = []
        for migration in migrations where !known.contains(migration.version) {
            if try await apply(migration, to: database, now: now) { applied.append(migration) }
        }
        return applied
    }

    private func makeTable(_ database: any Database) async throws {
        let sql: SQL = """
            CREATE TABLE IF NOT EXISTS schema_migrations (
                version BIGINT NOT NULL, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL,
                PRIMARY KEY (version))
            """
        do {
            _ = try await database.write { try $0.execute(sql) }
        } catch StorageError.uniqueViolation, StorageError.other {
            // PostgreSQL's errors when two processes create the same table or its row type at once. The other process has created
            // it by now.
            _ = try await database.write { try $0.execute(sql) }
        }
    }

    private func apply(_ migration: Migration, to database: any Database, now: Int64) async throws -> Bool {
        do {
            return try await database.write { transaction in
                guard try !check(transaction).contains(migration.version) else { return false }
                // The record is inserted first, so that the second of two processes fails before it changes the schema.
                try transaction.execute(
                    """
                    INSERT INTO schema_migrations (version, name, checksum, applied_at)
                    VALUES (\(migration.version), \(migration.name), \(migration.checksum), \(now))
                    """
                )
                try transaction.execute(SQLScript(migration.sql))
                return true
            }
        } catch StorageError.uniqueViolation(index: "schema_migrations_pkey") {
            return false
        } catch StorageError.other(let reason) {
            throw StorageError.migration("migration \(migration.title) failed: \(reason)")
        }
    }

    /// The versions of the store's migrations. All of them must be known and unchanged.
    private func check(_ transaction: Transaction) throws -> Set<Int> {
        var versions: Set<Int> = []
        let newest = migrations.last?.version ?? 0
        for row in try transaction.query("SELECT version, name, checksum FROM schema_migrations ORDER BY version") {
            let (version, name) = (Int(try row.integer("version")), try row.text("name"))
            let title = Migration.title(version, name)
            versions.insert(version)
            if version > newest {
                throw StorageError.migration(
                    "the database has migration \(title), this binary knows up to \(newest): run a newer version"
                )
            }
            guard let migration = migrations.first(where: { $0.version == version }) else {
                throw StorageError.migration("the database has migration \(title), which this binary lacks")
            }
            guard migration.name == name, try row.text("checksum") == migration.checksum else {
                throw StorageError.migration("migration \(title) was changed after it had been applied")
            }
        }
        let last = versions.max() ?? 0
        if let skipped = migrations.first(where: { $0.version < last && !versions.contains($0.version) }) {
            throw StorageError.migration("migration \(skipped.title) is older than the newest applied one, but was never applied")
        }
        return versions
    }
}

extension Migrator {
    /// Migrates an SQLite store to the schema of this binary.
    package static let sqlite = Migrator(
        migrations: MigrationStep.all.map { Migration(version: $0.version, name: $0.name, sql: $0.sqlite) }
    )

    /// Migrates a PostgreSQL store to the schema of this binary.
    package static let postgreSQL = Migrator(
        migrations: MigrationStep.all.map { Migration(version: $0.version, name: $0.name, sql: $0.postgreSQL) }
    )
}
