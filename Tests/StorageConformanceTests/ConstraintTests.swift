import Storage
import Testing

@Suite("Constraints", .teardown, .timeLimit(.minutes(15)))
struct ConstraintTests {
    @Test("a unique violation names the index, the primary key and the table's constraint", arguments: TestBackend.available)
    func uniqueViolation(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.execute(
            """
            CREATE TABLE people (
                project_id TEXT NOT NULL, id TEXT NOT NULL, email TEXT, phone TEXT, badge TEXT, room TEXT, desk BIGINT,
                PRIMARY KEY (project_id, id), UNIQUE (badge), UNIQUE (room, desk))
            """
        )
        try await database.execute("CREATE UNIQUE INDEX people_email ON people (project_id, email)")
        try await database.execute("CREATE UNIQUE INDEX people_phone ON people (project_id, phone) WHERE phone IS NOT NULL")
        try await database.execute(
            """
            INSERT INTO people (project_id, id, email, phone, badge, room, desk)
            VALUES ('p', '1', 'a@example.com', '+1555', 'x', 'north', 1)
            """
        )
        let expected: [(SQL, String)] = [
            ("INSERT INTO people (project_id, id) VALUES ('p', '1')", "people_pkey"),
            ("INSERT INTO people (project_id, id, email) VALUES ('p', '2', 'a@example.com')", "people_email"),
            ("INSERT INTO people (project_id, id, phone) VALUES ('p', '2', '+1555')", "people_phone"),
            ("INSERT INTO people (project_id, id, badge) VALUES ('p', '2', 'x')", "people_badge_key"),
            ("INSERT INTO people (project_id, id, room, desk) VALUES ('p', '2', 'north', 1)", "people_room_desk_key"),
        ]
        for (statement, index) in expected {
            await #expect(throws: StorageError.uniqueViolation(index: index)) { try await database.execute(statement) }
        }
        #expect(try await database.count("people") == 1)
    }

    @Test("an update violates as an insert does", arguments: TestBackend.available)
    func uniqueViolationOfAnUpdate(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        try await database.execute("CREATE UNIQUE INDEX things_label ON things (label)")
        try await database.execute("INSERT INTO things (id, label) VALUES ('a', 'x'), ('b', 'y')")
        await #expect(throws: StorageError.uniqueViolation(index: "things_label")) {
            try await database.execute("UPDATE things SET label = 'x' WHERE id = 'b'")
        }
    }

    @Test(
        "a unique index takes any number of nulls, a partial one what its condition leaves out",
        arguments: TestBackend.available
    )
    func partialIndex(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        try await database.execute("CREATE UNIQUE INDEX things_label ON things (label)")
        try await database.execute("CREATE UNIQUE INDEX things_number ON things (number) WHERE number > 0")
        try await database.execute("INSERT INTO things (id, number) VALUES ('a', 0), ('b', 0), ('c', 7)")
        await #expect(throws: StorageError.uniqueViolation(index: "things_number")) {
            try await database.execute("INSERT INTO things (id, number) VALUES ('d', 7)")
        }
        #expect(try await database.count("things") == 3)
    }

    @Test("a foreign key refuses an orphan and a parent's removal", arguments: TestBackend.available)
    func foreignKey(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        try await database.execute(
            "CREATE TABLE parts (id TEXT NOT NULL, thing TEXT NOT NULL, PRIMARY KEY (id), FOREIGN KEY (thing) REFERENCES things (id))"
        )
        await #expect(throws: StorageError.foreignKeyViolation) {
            try await database.execute("INSERT INTO parts (id, thing) VALUES ('p', 'missing')")
        }
        try await database.execute("INSERT INTO things (id) VALUES ('a')")
        try await database.execute("INSERT INTO parts (id, thing) VALUES ('p', 'a')")
        await #expect(throws: StorageError.foreignKeyViolation) {
            try await database.execute("DELETE FROM things WHERE id = 'a'")
        }
    }

    @Test("a cascade removes the children and is not counted", arguments: TestBackend.available)
    func cascade(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        try await database.execute(
            """
            CREATE TABLE parts (id TEXT NOT NULL, thing TEXT NOT NULL, PRIMARY KEY (id),
                FOREIGN KEY (thing) REFERENCES things (id) ON DELETE CASCADE)
            """
        )
        try await database.execute("INSERT INTO things (id) VALUES ('a')")
        try await database.execute("INSERT INTO parts (id, thing) VALUES ('p', 'a'), ('q', 'a')")
        #expect(try await database.execute("DELETE FROM things WHERE id = 'a'") == 1)
        #expect(try await database.count("parts") == 0)
    }

    @Test("other errors carry no bound value", arguments: TestBackend.available)
    func errorsAreDiscreet(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.execute(
            "CREATE TABLE strict (id TEXT NOT NULL, number BIGINT NOT NULL, PRIMARY KEY (id), CHECK (number < 10))"
        )
        let statements: [SQL] = [
            "INSERT INTO strict (id, number) VALUES (\("hunter2"), \(10))",
            "INSERT INTO strict (id, number) VALUES (\("hunter2"), NULL)",
            "INSERT INTO strict (id, nosuch) VALUES (\("hunter2"), 1)",
            "SELEKT \("hunter2")",
        ]
        for statement in statements {
            let error = await #expect(throws: StorageError.self) { try await database.execute(statement) }
            guard case .other = error else {
                Issue.record("unexpected \(error as Any)")
                continue
            }
            #expect(!"\(error as Any)".contains("hunter2"))
        }
    }
}
