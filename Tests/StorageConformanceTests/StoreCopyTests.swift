import Project
import Storage
import Testing

@testable import Storage

@Suite("Copying a store", .teardown, .timeLimit(.minutes(15)))
struct StoreCopyTests {
    private static let pairs = TestBackend.available.flatMap { from in TestBackend.available.map { (from, $0) } }

    private func fill(_ database: any Database, accounts: Int) async throws {
        let time = Timestamp(milliseconds: 5)
        try await database.write { transaction in
            for number in 0..<accounts {
                let scope = Scope(projectID: "p", tenantID: number.isMultiple(of: 3) ? "t" : nil)
                var account = AccountRecord(localID: "Ünï-😀-\(number)", createdAt: time)
                account.email = "user\(number)@example.com"
                try transaction.insertAccount(scope, account)
                let identity = IdentityRecord(providerID: "google.com", rawID: "g\(number)")
                try transaction.upsertIdentity(scope, localID: account.localID, identity, at: time)
                let session = SessionRecord(
                    tokenHash: sha256("\(number)".utf8),
                    scope: scope,
                    localID: account.localID,
                    sessionID: "s",
                    signInProvider: "google.com",
                    authTime: 1,
                    createdAt: time
                )
                try transaction.insertSession(session)
            }
            try transaction.putResource(
                Scope(projectID: "p"),
                ResourceRecord(kind: .config, resourceID: "", document: ["a": "ü"]),
                at: time
            )
        }
    }

    @Test("brings every row over, to any engine, and refuses a target that has rows", arguments: pairs)
    func everything(from: TestBackend, to: TestBackend) async throws {
        let source = try await from.makeSchema()
        let target = try await to.makeSchema()
        try await fill(source, accounts: 2345)
        var pages = 0
        let copied = try await StoreCopy(from: source, to: target).copy { _ in pages += 1 }
        #expect(copied.first?.table == "accounts")
        #expect(copied.first?.rows == 2345)
        let rows = copied.reduce(into: Int64(0)) { $0 += $1.rows }
        #expect(rows == 7036)
        #expect(pages > 10)
        try await target.read { transaction throws in
            let account = try transaction.account(Scope(projectID: "p", tenantID: "t"), localID: "Ünï-😀-3")
            #expect(account?.email == "user3@example.com")
        }
        await #expect(throws: StoreCopy.Failure.targetNotEmpty(table: "accounts")) {
            try await StoreCopy(from: source, to: target).copy()
        }
    }

    @Test("notices that the source was written to meanwhile", arguments: TestBackend.concurrent)
    func writtenMeanwhile(backend: TestBackend) async throws {
        let source = try await backend.makeSchema()
        let target = try await backend.makeSchema()
        try await fill(source, accounts: 10)
        let intruder = AccountRecord(localID: "!", createdAt: Timestamp(milliseconds: 1))
        let meddling = MeddledDatabase(source) { try $0.insertAccount(Scope(projectID: "p"), intruder) }
        await #expect(throws: StoreCopy.Failure.differs(table: "accounts", source: 11, target: 10)) {
            try await StoreCopy(from: meddling, to: target).copy()
        }
    }

    @Test("knows every table and column of the schema", arguments: [TestBackend.sqlite])
    func completeness(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let tables = try await database.query(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        )
        let own = ["leases", "schema_migrations", "store_clock"]
        let names = try tables.map { try $0.text("name") }.filter { !own.contains($0) }
        #expect(names == StoreTable.all.map(\.name).sorted())
        for table in StoreTable.all {
            let columns = try await database.query("SELECT name FROM pragma_table_info(\(table.name))")
            #expect(try Set(columns.map { try $0.text("name") }) == Set(table.columns))
        }
    }
}

/// A store that is changed between the third read and the fourth.
private final class MeddledDatabase: Database {
    private let database: any Database
    private let meddle: @Sendable (Transaction) throws -> Void
    private let reads = LockedState(0)

    init(_ database: any Database, _ meddle: @escaping @Sendable (Transaction) throws -> Void) {
        self.database = database
        self.meddle = meddle
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
        let count = reads.withLock { reads in
            reads += 1
            return reads
        }
        let result = try await database.read(body)
        if count == 3 { try await database.write(meddle) }
        return result
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
        try await database.write(body)
    }

    func ping() async throws { try await database.ping() }
    func close() async throws { try await database.close() }
}
