import Foundation
import SQLiteMigrations
import Storage
import Testing

@Suite("SQLite migrations", .timeLimit(.minutes(15)))
struct SQLiteMigrationsTests {
    @Test("every file of the folder is in the list, in order and unchanged")
    func complete() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Migrations/sqlite").standardized
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".sql") }.sorted()
        #expect(!files.isEmpty)
        let listed = SQLiteMigrations.all.map { migration in
            String(repeating: "0", count: 4 - "\(migration.version)".count) + "\(migration.version)_\(migration.name).sql"
        }
        #expect(listed == files)
        for (migration, file) in zip(SQLiteMigrations.all, files) {
            #expect(try migration.sql == String(contentsOf: folder.appending(component: file), encoding: .utf8))
        }
    }

    @Test("the schema of this binary applies to a new store, and again to itself")
    func apply() async throws {
        let database = try SQLiteDatabase(.memory, readers: 1, logger: quiet)
        #expect(try await Migrator.sqlite.migrate(database, now: 0).count == SQLiteMigrations.all.count)
        #expect(try await Migrator.sqlite.migrate(database, now: 0).isEmpty)
        try await database.close()
    }
}
