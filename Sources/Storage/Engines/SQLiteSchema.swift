import SQLiteMigrations

extension Migrator {
    /// Migrates an SQLite store to the schema of this binary.
    package static var sqlite: Migrator {
        Migrator(
            SQLiteMigrations.all.map { file in
                Migration(version: file.version, name: file.name, sql: String(decoding: file.sql, as: UTF8.self))
            }
        )
    }
}
