import Storage
import Testing

@Suite("Statements", .teardown, .timeLimit(.minutes(15)))
struct StatementTests {
    @Test("execute counts the rows that it changed", arguments: TestBackend.available)
    func affectedRows(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        #expect(try await database.execute("CREATE TABLE things (id TEXT NOT NULL, number BIGINT, PRIMARY KEY (id))") == 0)
        #expect(try await database.execute("INSERT INTO things (id, number) VALUES ('a', 1), ('b', 2), ('c', 2)") == 3)
        let counts = try await database.write { transaction in
            [
                try transaction.execute("UPDATE things SET number = 5 WHERE number = 2"),
                try transaction.execute("CREATE INDEX things_number ON things (number)"),
                try transaction.execute("UPDATE things SET number = 5 WHERE number = 99"),
                try transaction.execute("SELECT * FROM things"),
                try transaction.execute("DELETE FROM things"),
                try transaction.execute("DELETE FROM things"),
            ]
        }
        #expect(counts == [2, 0, 0, 0, 3, 0])
    }

    @Test("RETURNING gives the rows that were written", arguments: TestBackend.available)
    func returning(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        let inserted = try await database.write {
            try $0.query("INSERT INTO things (id, number) VALUES ('a', 1), ('b', 2) RETURNING id, number")
        }
        #expect(try Set(inserted.map { try $0.text("id") }) == ["a", "b"])
        let updated = try await database.write {
            try $0.queryOne("UPDATE things SET number = number + 10 WHERE id = 'b' RETURNING number")
        }
        #expect(try updated?.integer("number") == 12)
        let missed = try await database.write {
            try $0.queryOne("UPDATE things SET number = 0 WHERE id = 'missing' RETURNING number")
        }
        #expect(missed == nil)
        let removed = try await database.write { try $0.query("DELETE FROM things WHERE number > 5 RETURNING id AS gone") }
        #expect(try removed.map { try $0.text("gone") } == ["b"])
        #expect(try await database.execute("DELETE FROM things RETURNING id") == 1)
    }

    @Test("ON CONFLICT updates, or does nothing, and the transaction goes on", arguments: TestBackend.available)
    func upsert(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        for label in ["first", "second"] {
            let row = try await database.write { transaction in
                try transaction.queryOne(
                    """
                    INSERT INTO things (id, label, number) VALUES ('a', \(label), 1)
                    ON CONFLICT (id) DO UPDATE SET label = excluded.label, number = things.number + 1 RETURNING number
                    """
                )
            }
            #expect(try row?.integer("number") == (label == "first" ? 1 : 2))
        }
        let ignored = try await database.write { transaction in
            let count = try transaction.execute("INSERT INTO things (id) VALUES ('a') ON CONFLICT (id) DO NOTHING")
            try transaction.execute("INSERT INTO things (id) VALUES ('b')")
            return count
        }
        #expect(ignored == 0)
        #expect(try await database.query("SELECT label FROM things ORDER BY id").first?.text("label") == "second")
        #expect(try await database.count("things") == 2)
    }

    @Test("ON CONFLICT works on a partial unique index", arguments: TestBackend.available)
    func upsertOnPartialIndex(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        try await database.execute("CREATE UNIQUE INDEX things_label ON things (label) WHERE label IS NOT NULL")
        let sql: SQL = """
            INSERT INTO things (id, label, number) VALUES ('a', 'x', 1)
            ON CONFLICT (label) WHERE label IS NOT NULL DO UPDATE SET number = things.number + 1
            """
        try await database.execute(sql)
        #expect(try await database.execute(sql) == 1)
        #expect(try await database.query("SELECT number FROM things").map { try $0.integer("number") } == [2])
    }

    @Test("rows come in the order that was asked for", arguments: TestBackend.available)
    func ordering(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        try await database.execute(
            "INSERT INTO things (id, label, number) VALUES ('a', 'x', -1), ('b', 'y', 10), ('c', 'x', 9), ('d', 'y', 9)"
        )
        let rows = try await database.query("SELECT id FROM things ORDER BY number DESC, id DESC")
        #expect(try rows.map { try $0.text("id") } == ["b", "d", "c", "a"])
        let grouped = try await database.query("SELECT label, count(*) AS n FROM things GROUP BY label ORDER BY label")
        #expect(try grouped.map { try $0.integer("n") } == [2, 2])
    }

    @Test("paging by key visits each row once, though rows come and go", arguments: TestBackend.available)
    func paging(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        let ids = (0..<50).map { ["aZ", "Az", "zz", "09", "ü-"][$0 % 5] + "\($0)" }
        for id in ids { try await database.execute("INSERT INTO things (id) VALUES (\(id))") }
        var seen: [String] = []
        var last = ""
        while true {
            let page = try await database.query("SELECT id FROM things WHERE id > \(last) ORDER BY id LIMIT \(7)")
            guard let end = page.last else { break }
            seen += try page.map { try $0.text("id") }
            last = try end.text("id")
            try await database.execute("DELETE FROM things WHERE id = \(last)")
        }
        #expect(seen.count == ids.count)
        #expect(Set(seen) == Set(ids))
    }

    @Test("a script runs statement by statement, comments left out", arguments: TestBackend.available)
    func script(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        let script = try SQLScript(
            """
            -- A comment; with a semicolon
            CREATE TABLE things (
                id TEXT NOT NULL, -- said beside a column
                PRIMARY KEY (id)
            );
              -- another;
            INSERT INTO things (id) VALUES ('semi;colon');\u{20}
            INSERT INTO things (id) VALUES ('?');

            """
        )
        #expect(script.statements.count == 3)
        try await database.write { try $0.execute(script) }
        let rows = try await database.query("SELECT id FROM things ORDER BY id")
        #expect(try Set(rows.map { try $0.text("id") }) == ["?", "semi;colon"])
    }

    @Test("a new column is seen by statements that ran before", arguments: TestBackend.available)
    func changingSchema(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.execute("CREATE TABLE things (id TEXT NOT NULL, PRIMARY KEY (id))")
        try await database.execute("INSERT INTO things (id) VALUES ('a')")
        #expect(try await database.query("SELECT * FROM things").first?.text("id") == "a")
        try await database.execute("ALTER TABLE things ADD COLUMN label TEXT")
        try await database.execute("UPDATE things SET label = 'x'")
        #expect(try await database.query("SELECT * FROM things").first?.text("label") == "x")
    }
}
