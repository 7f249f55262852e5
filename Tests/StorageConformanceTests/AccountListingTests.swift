import Project
import Storage
import Testing

@Suite("Lists of accounts", .teardown, .timeLimit(.minutes(15)))
struct AccountListingTests {
    private static let scope = Scope(projectID: "demo")

    @Test("give each of a hundred thousand once, in the order of the ids' bytes", arguments: TestBackend.available)
    func pages(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        // 7919 spreads the numbers without repetition. Collations differ from bytes in upper- and lower-case letters.
        let made = try await database.execute(
            """
            INSERT INTO accounts (project_id, tenant_id, local_id, disabled, custom_auth, email_link_sign_in, created_at)
            WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100000)
            SELECT 'demo', '', CASE n % 3 WHEN 0 THEN 'a' WHEN 1 THEN 'B' ELSE '_' END ||
                CAST((n * 7919) % 1000003 AS TEXT), 0, 0, 0, n FROM numbers
            """
        )
        #expect(made == 100_000)
        var (seen, last): ([String], String?) = ([], nil)
        repeat {
            let after = last
            let page = try await database.read { try $0.accounts(Self.scope, after: after, limit: 1000) }
            seen += page.map(\.localID)
            last = page.last?.localID
        } while last != nil
        #expect(seen.count == 100_000)
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        let count = try await database.read { try $0.accountCount(Self.scope) }
        #expect(count == 100_000)
    }

    @Test("are sorted alike by every engine, and those that lack what decides come last", arguments: TestBackend.available)
    func order(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction in
            for (index, name) in ["B", nil, "A", nil, "C"].enumerated() {
                var account = AccountRecord(localID: "\(index)", createdAt: Timestamp(milliseconds: Int64(-index)))
                account.displayName = name
                account.lastLoginAt = name == nil ? nil : Timestamp(milliseconds: Int64(index))
                account.initialEmail = "first@example.com"
                try transaction.insertAccount(Self.scope, account)
            }
        }
        for (order, isDescending, expected) in [
            (.displayName, false, "20413"), (.displayName, true, "40231"), (.lastLoginAt, false, "02413"),
            (.createdAt, false, "43210"), (.localID, true, "43210"), (.email, false, "01234"),
        ] as [(AccountOrder, Bool, String)] {
            let found = try await database.read {
                try $0.accounts(Self.scope, by: order, isDescending: isDescending, limit: 9, offset: 0)
            }
            #expect(found.map(\.localID).joined() == expected)
        }
        let middle = try await database.read {
            try $0.accounts(Self.scope, by: .localID, isDescending: false, limit: 2, offset: 1)
        }
        #expect(middle.map(\.localID) == ["1", "2"])
        let first = try await database.read {
            try $0.accounts(Self.scope, initialEmail: "first@example.com", limit: 2)
        }
        #expect(first.map(\.localID) == ["4", "3"])
    }

    @Test("bring every account's identities along, in the order of their linking", arguments: TestBackend.available)
    func identities(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let ids = (0..<250).map { "user-\($0)" }
        try await database.write { transaction in
            for id in ids {
                let time = Timestamp(milliseconds: 1)
                try transaction.insertAccount(Self.scope, AccountRecord(localID: id, createdAt: time))
                for (offset, provider) in ["z.com", "a.com"].enumerated() {
                    let identity = IdentityRecord(providerID: provider, rawID: id)
                    let linkedAt = Timestamp(milliseconds: Int64(offset))
                    try transaction.upsertIdentity(Self.scope, localID: id, identity, at: linkedAt)
                }
            }
        }
        let found = try await database.read { try $0.identities(Self.scope, localIDs: ids + ["nobody"]) }
        #expect(found.count == 250)
        #expect(found.values.allSatisfy { $0.map(\.providerID) == ["z.com", "a.com"] })
        let none = try await database.read { try $0.identities(Self.scope, localIDs: []) }
        #expect(none.isEmpty)
    }
}
