import Storage
import Testing

@Suite("Values", .teardown, .timeLimit(.minutes(15)))
struct ValueTests {
    @Test(
        "a text comes back as it was",
        arguments: TestBackend.available,
        [
            "", "plain", "O'Brien \"quoted\" ; DROP TABLE things; --", "?, $1, :name, @x", "Grüße 日本語", "👩‍👩‍👧‍👦 𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
            "line\nbreak\r\n\ttab\\backslash%_", "e\u{301}", "\u{FEFF}\u{FFFD}\u{10FFFF}", "00123", "1e3", "NULL",
        ]
    )
    func text(backend: TestBackend, text: String) async throws { try await roundTrip(text, on: backend) }

    @Test("a megabyte of text and of bytes come back as they were", arguments: TestBackend.available)
    func large(backend: TestBackend) async throws {
        try await roundTrip(String(repeating: "é", count: 524_288), on: backend)
        try await roundTrip([UInt8](repeating: 0xA5, count: 1_048_576), on: backend)
    }

    private func roundTrip(_ text: String, on backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        try await database.execute("INSERT INTO things (id, label) VALUES ('a', \(text))")
        let row = try #require(try await database.query("SELECT label FROM things").first)
        // Swift compares by canonical equivalence, but the store must keep the exact bytes.
        #expect(try Array(row.text("label").utf8) == Array(text.utf8))
        #expect(try await database.query("SELECT id FROM things WHERE label = \(text)").count == 1)
    }

    @Test("an integer comes back as it was", arguments: TestBackend.available, [0, 1, -1, 1 << 53 + 1, .max, .min] as [Int64])
    func integer(backend: TestBackend, integer: Int64) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        try await database.execute("INSERT INTO things (id, number) VALUES ('a', \(integer))")
        let row = try #require(try await database.query("SELECT number FROM things WHERE number = \(integer)").first)
        #expect(try row.integer("number") == integer)
    }

    @Test(
        "bytes come back as they were",
        arguments: TestBackend.available,
        [[], [0], [0, 1, 0, 255, 0], Array(0...255), Array("looks like text".utf8)]
            as [[UInt8]]
    )
    func bytes(backend: TestBackend, bytes: [UInt8]) async throws { try await roundTrip(bytes, on: backend) }

    private func roundTrip(_ bytes: [UInt8], on backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        try await database.execute("INSERT INTO things (id, data) VALUES ('a', \(bytes))")
        let row = try #require(try await database.query("SELECT data FROM things WHERE data = \(bytes)").first)
        #expect(try row.bytes("data") == bytes)
    }

    @Test("booleans are 0 and 1", arguments: TestBackend.available)
    func booleans(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        try await database.execute("INSERT INTO things (id, number) VALUES ('no', \(false)), ('yes', \(true))")
        let rows = try await database.query("SELECT number FROM things ORDER BY id")
        #expect(try rows.map { try $0.bool("number") } == [false, true])
        #expect(try rows.map { try $0.integer("number") } == [0, 1])
    }

    @Test("sums, conditions and expressions of bound integers are integers", arguments: TestBackend.available)
    func computed(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        try await database.execute("INSERT INTO things (id, number) VALUES ('a', 1), ('b', \(Int64(1) << 40))")
        let row = try #require(
            try await database.query(
                """
                SELECT sum(number) AS total, max(number) AS most, EXISTS (SELECT 1 FROM things WHERE number = 1) AS found,
                    \(Int64(1) << 40) + 1 AS plus, CASE WHEN 1 = 2 THEN 1 ELSE 0 END AS choice FROM things
                """
            ).first
        )
        #expect(try row.integer("total") == (1 << 40) + 1)
        #expect(try row.integer("most") == 1 << 40)
        #expect(try row.bool("found"))
        #expect(try row.integer("plus") == (1 << 40) + 1)
        #expect(try !row.bool("choice"))
    }

    @Test("null is neither the empty text nor no bytes nor zero", arguments: TestBackend.available)
    func null(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        let (label, number, data) = (String?.none, Int64?.none, [UInt8]?.none)
        try await database.execute(
            """
            INSERT INTO things (id, label, number, data)
            VALUES ('empty', \(""), \(0), \([])), ('null', \(label), \(number), \(data))
            """
        )
        let rows = try await database.query("SELECT label, number, data FROM things ORDER BY id")
        #expect(try rows.map { try $0.textIfPresent("label") } == ["", nil])
        #expect(try rows.map { try $0.integerIfPresent("number") } == [0, nil])
        #expect(try rows.map { try $0.bytesIfPresent("data") } == [[], nil])
        #expect(try await database.query("SELECT id FROM things WHERE label IS NULL").count == 1)
    }

    @Test("a text with U+0000 is refused by every engine alike", arguments: TestBackend.available)
    func nullCharacter(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        let error = await #expect(throws: StorageError.self) {
            try await database.execute("INSERT INTO things (id) VALUES (\("secret\u{0}"))")
        }
        #expect(!"\(error as Any)".contains("secret"))
        #expect(try await database.count("things") == 0)
    }

    @Test("a statement with many binds keeps their order", arguments: TestBackend.available)
    func manyBinds(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        let numbers = Array(0..<200)
        let rows = list(numbers.map { "(\("id\($0)"), \($0))" })
        try await database.execute("INSERT INTO things (id, number) VALUES \(sql: rows)")
        let wanted = numbers.filter { $0.isMultiple(of: 7) }
        let found = try await database.query(
            "SELECT number FROM things WHERE id IN (\(sql: list(wanted.map { "\("id\($0)")" }))) ORDER BY number"
        )
        #expect(try found.map { Int(try $0.integer("number")) } == wanted)
    }

    private func list(_ parts: [SQL]) -> SQL {
        parts.dropFirst().reduce(parts[0]) { "\(sql: $0), \(sql: $1)" }
    }
}
