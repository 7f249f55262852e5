import PostgreSQLMigrations

extension Migrator {
    /// Migrates a PostgreSQL store to the schema of this binary.
    package static var postgreSQL: Migrator {
        Migrator(migrations: PostgreSQLMigrations.all.map { Migration(version: $0.version, name: $0.name, sql: $0.sql) })
    }
}
