import SQLiteMigrations

extension Migrator {
    /// Migrates an SQLite store to the schema of this binary.
    package static var sqlite: Migrator {
        Migrator(migrations: SQLiteMigrations.all.map { Migration(version: $0.version, name: $0.name, sql: $0.sql) })
    }
}
