import Project
import Storage
import Testing

@Suite("Walks through accounts", .teardown, .timeLimit(.minutes(15)))
struct AccountWalkTests {
    private static let scope = Scope(projectID: "demo")

    // What patterns, collations and canonical equivalence would treat in a way of their own.
    private static let texts = [
        "ann", "Ann", "ANN", "anna", "an%", "an_", "an\\", "a'n", "a\"n", "An\u{E9}", "Ane\u{301}", "an\u{FFFF}x",
        "an\u{10FFFF}x",
        "%", "_", "\\", "\u{212A}", "K", "k", "\u{D7FF}", "\u{D7FF}z", "\u{E000}z", "\u{10FFFF}", "\u{10FFFF}\u{10FFFF}", "",
        String(repeating: "n", count: 63) + "Aa", String(repeating: "n", count: 63) + "Ab",
        String(repeating: "\u{1F600}", count: 70),
    ]

    private static func insert(into database: any Database) async throws {
        try await database.write { transaction in
            for (index, text) in texts.enumerated() {
                var account = AccountRecord(localID: "u\(index)", createdAt: Timestamp(milliseconds: Int64(index / 4)))
                account.displayName = text
                account.email = text
                account.phoneNumber = text
                try transaction.insertAccount(scope, account)
                // The same elsewhere must never be found.
                for other in [Scope(projectID: "demo", tenantID: "t"), Scope(projectID: "other")] {
                    try transaction.insertAccount(other, account)
                }
            }
            try transaction.insertAccount(scope, AccountRecord(localID: "bare", createdAt: Timestamp(milliseconds: 99)))
        }
    }

    private static func walk(_ walk: AccountWalk, _ database: any Database) async throws -> [AccountRecord] {
        var (found, place): ([AccountRecord], AccountWalk.Place?) = ([], nil)
        while true {
            let after = place
            let steps = try await database.read { try $0.accounts(scope, along: walk, after: after, limit: 3) }
            #expect(steps.count <= 3)
            guard let last = steps.last else { return found }
            found += steps.map(\.account)
            place = last.place
        }
    }

    private static func begins(_ text: String?, _ prefix: String) -> Bool {
        text?.utf8.starts(with: prefix.utf8) ?? false
    }

    @Test("find the beginning of a text as bytes, in the order of bytes", arguments: TestBackend.available)
    func texts(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await Self.insert(into: database)
        for prefix in Self.texts {
            for walk in [AccountWalk.email(prefix), .phoneNumber(prefix)] {
                let found = try await Self.walk(walk, database).compactMap(\.email).map { Array($0.utf8) }
                let expected = Self.texts.filter { Self.begins($0, prefix) }.map { Array($0.utf8) }
                #expect(found == expected.sorted { $0.lexicographicallyPrecedes($1) }, "\(prefix.debugDescription)")
            }
        }
    }

    @Test(
        "find the beginning of a name without regard to the case of ASCII letters, by its first 64 characters",
        arguments: TestBackend.available
    )
    func names(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await Self.insert(into: database)
        func start(_ text: String) -> String {
            String(String.UnicodeScalarView(text.asciiLowercased.unicodeScalars.prefix(AccountWalk.nameCharacters)))
        }
        for prefix in Self.texts {
            let found = try await Self.walk(.displayName(prefix), database)
            let expected = Self.texts.enumerated().filter { Self.begins(start($0.element), start(prefix)) }
                .map { (key: Array(start($0.element).utf8), id: "u\($0.offset)") }
                .sorted {
                    $0.key == $1.key
                        ? $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) : $0.key.lexicographicallyPrecedes($1.key)
                }
            #expect(found.map(\.localID) == expected.map(\.id), "\(prefix.debugDescription)")
        }
    }

    @Test("give the newest first within a range of time, also where many have one time", arguments: TestBackend.available)
    func newest(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await Self.insert(into: database)
        let all = try await Self.walk(.newest(since: nil, before: nil), database)
        #expect(all.count == Self.texts.count + 1)
        #expect(all.first?.localID == "bare")
        #expect(
            zip(all, all.dropFirst()).allSatisfy { one, next in
                one.createdAt > next.createdAt
                    || one.createdAt == next.createdAt && next.localID.utf8.lexicographicallyPrecedes(one.localID.utf8)
            }
        )
        let range = AccountWalk.newest(since: Timestamp(milliseconds: 1), before: Timestamp(milliseconds: 3))
        let within = try await Self.walk(range, database)
        #expect(within.map(\.localID) == ["u9", "u8", "u11", "u10", "u7", "u6", "u5", "u4"])
    }
}
