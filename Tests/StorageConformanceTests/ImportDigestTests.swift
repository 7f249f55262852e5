import Project
import Storage
import Testing

@Suite("What the last import gave an account", .teardown, .timeLimit(.minutes(15)))
struct ImportDigestTests {
    private static let time = Timestamp(milliseconds: 1_700_000_000_123)

    @Test("is stored for one account of one scope, is replaced, and goes with the account", arguments: TestBackend.available)
    func digests(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let (scope, tenant) = (RepositoryTests.scope, RepositoryTests.tenant)
        let first = ImportDigestsRecord(importedAt: Self.time, keyCheck: "k", digests: ["email": "a", "näme": "b"])
        let second = ImportDigestsRecord(importedAt: RepositoryTests.later, keyCheck: "l", digests: [:])
        try await database.write { transaction throws in
            for scope in [scope, tenant] {
                try transaction.insertAccount(scope, AccountRecord(localID: "one", createdAt: Self.time))
            }
            #expect(try transaction.importDigests(scope, localID: "one") == nil)
            try transaction.setImportDigests(scope, localID: "one", first)
        }
        try await database.read { transaction throws in
            #expect(try transaction.importDigests(scope, localID: "one") == first)
            #expect(try transaction.importDigests(tenant, localID: "one") == nil)
        }
        try await database.write { transaction throws in
            try transaction.setImportDigests(scope, localID: "one", second)
            #expect(try transaction.importDigests(scope, localID: "one") == second)
            #expect(try transaction.deleteAccount(scope, localID: "one"))
            #expect(try transaction.importDigests(scope, localID: "one") == nil)
        }
    }
}
