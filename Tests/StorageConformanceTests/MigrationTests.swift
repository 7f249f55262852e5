import Storage
import Testing

@Suite("Migrations", .teardown, .timeLimit(.minutes(15)))
struct MigrationTests {
    private static let first = Migration(
        version: 1,
        name: "initial",
        sql: "CREATE TABLE one (id TEXT NOT NULL, PRIMARY KEY (id));\n"
    )
    private static let second = Migration(
        version: 2,
        name: "more",
        sql: "-- Two statements.\nCREATE TABLE two (id TEXT NOT NULL, PRIMARY KEY (id));\nINSERT INTO one (id) VALUES ('x');\n"
    )
    private static let third = Migration(version: 3, name: "last", sql: "CREATE INDEX one_id ON one (id);\n")

    private func refusal(_ body: () async throws -> Void) async -> String {
        do {
            try await body()
        } catch StorageError.migration(let reason) {
            return reason
        } catch {
            Issue.record("unexpected \(error)")
        }
        return ""
    }

    @Test("what is missing is applied in order, once, and recorded", arguments: TestBackend.available)
    func apply(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        #expect(try await Migrator(migrations: [Self.first]).migrate(database, now: 1000) == [Self.first])
        let all = Migrator(migrations: [Self.third, Self.first, Self.second])
        #expect(try await all.migrate(database, now: 2000) == [Self.second, Self.third])
        #expect(try await all.migrate(database, now: 3000).isEmpty)
        #expect(try await database.count("one") == 1)
        let rows = try await database.query("SELECT * FROM schema_migrations ORDER BY version")
        #expect(try rows.map { try $0.integer("version") } == [1, 2, 3])
        #expect(try rows.map { try $0.text("name") } == ["initial", "more", "last"])
        #expect(try rows.map { try $0.integer("applied_at") } == [1000, 2000, 2000])
        #expect(try rows[0].text("checksum") == "be26d1b726695c9e17b36be6a8c4b7931275f78a4390a67b288e4210fd5bb14d")
    }

    @Test("a migration that fails leaves nothing of itself, and says which it is", arguments: TestBackend.available)
    func failing(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        let broken = Migration(version: 2, name: "broken", sql: "CREATE TABLE two (id TEXT);\nCREATE NONSENSE;\n")
        let reason = await refusal {
            try await Migrator(migrations: [Self.first, broken]).migrate(database, now: 0)
        }
        #expect(reason.contains("2 (broken)"))
        // The table of the broken migration was rolled back, so the corrected one can create it.
        let applied = try await Migrator(migrations: [Self.first, Self.second]).migrate(database, now: 0)
        #expect(applied == [Self.second])
    }

    @Test("a changed migration stops the start", arguments: TestBackend.available)
    func changed(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await Migrator(migrations: [Self.first]).migrate(database, now: 0)
        let edited = Migration(version: 1, name: "initial", sql: Self.first.sql + "-- edited\n")
        let renamed = Migration(version: 1, name: "renamed", sql: Self.first.sql)
        for migration in [edited, renamed] {
            let reason = await refusal {
                try await Migrator(migrations: [migration, Self.second]).migrate(database, now: 0)
            }
            #expect(reason.contains("1 (initial) was changed"))
        }
        #expect(try await database.count("schema_migrations") == 1)
    }

    @Test("an applied migration that is missing here stops the start", arguments: TestBackend.available)
    func missing(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await Migrator(migrations: [Self.first, Self.second]).migrate(database, now: 0)
        let reason = await refusal {
            try await Migrator(migrations: [Self.first, Self.third]).migrate(database, now: 0)
        }
        #expect(reason.contains("2 (more), which this binary lacks"))
    }

    @Test("a schema newer than the binary stops the start", arguments: TestBackend.available)
    func newer(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await Migrator(migrations: [Self.first, Self.second]).migrate(database, now: 0)
        let reason = await refusal { try await Migrator(migrations: [Self.first]).migrate(database, now: 0) }
        #expect(reason.contains("2 (more)") && reason.contains("newer version"))
    }

    @Test("a migration that was skipped stops the start, and so do two of one version", arguments: TestBackend.available)
    func skipped(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await Migrator(migrations: [Self.first, Self.third]).migrate(database, now: 0)
        let skipped = await refusal {
            try await Migrator(migrations: [Self.first, Self.second, Self.third]).migrate(database, now: 0)
        }
        #expect(skipped.contains("2 (more)"))
        let twins = await refusal { try await Migrator(migrations: [Self.first, Self.first]).migrate(database, now: 0) }
        #expect(twins.contains("version 1"))
    }

    @Test("nodes that start at once migrate once", arguments: TestBackend.concurrent)
    func together(backend: TestBackend) async throws {
        let nodes = try await backend.makeNodes(4)
        let migrator = Migrator(migrations: [Self.first, Self.second, Self.third])
        let applied = try await withThrowingTaskGroup(of: [Migration].self) { group in
            for node in nodes { group.addTask { try await migrator.migrate(node, now: 0) } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(applied.map(\.version).sorted() == [1, 2, 3])
        #expect(try await nodes[0].count("schema_migrations") == 3)
        #expect(try await nodes[0].count("one") == 1)
    }
}
