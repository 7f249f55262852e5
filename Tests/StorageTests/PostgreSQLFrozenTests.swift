import Project
import TestKit
import Testing

@testable import Storage

@Suite("A PostgreSQL that is frozen", .timeLimit(.minutes(15)))
struct PostgreSQLFrozenTests {
    /// A machine that runs other tests is slow, so that only the bound under test is short.
    private static func limits(answer: Duration) -> PostgreSQLDatabase.Limits {
        var limits = PostgreSQLDatabase.Limits(connections: 2, patience: .seconds(600))
        (limits.timeouts.answer, limits.connectTime) = (answer, .seconds(2))
        return limits
    }

    private func session(_ database: PostgreSQLDatabase) async throws -> Int64? {
        try await database.read { try $0.queryOne("SELECT pg_backend_pid() AS n")?.integer("n") }
    }

    @Test("costs every call its patience once, and no connection from before is used again")
    func frozen() async throws {
        let server = try await ThrowawayPostgreSQL.own()
        try await server.execute("CREATE TABLE things (id TEXT NOT NULL, PRIMARY KEY (id))")
        // A ping after a failed write writes to this table.
        try await server.execute("CREATE TABLE leases (name TEXT PRIMARY KEY, holder TEXT, expires_at BIGINT)")
        let database = try PostgreSQLDatabase(uri: server.uri(), limits: Self.limits(answer: .seconds(5)), logger: quiet)
        // Opens both connections: neither read ends before the other has begun.
        let before = try await withThrowingTaskGroup(of: Int64?.self) { tasks in
            let begun = LockedState(0)
            for _ in 0..<2 {
                tasks.addTask {
                    try await database.read { transaction in
                        begun.withLock { $0 += 1 }
                        while begun.withLock({ $0 }) < 2 { _ = try transaction.query("SELECT 1") }
                        return try transaction.queryOne("SELECT pg_backend_pid() AS n")?.integer("n")
                    }
                }
            }
            return try await tasks.reduce(into: Set<Int64?>()) { $0.insert($1) }
        }
        #expect(before.count == 2)
        try await server.freeze()
        await withTaskGroup(of: Void.self) { tasks in
            for number in 0..<6 {
                tasks.addTask {
                    // It ends only because it is given up: the server stays frozen.
                    let error = await #expect(throws: StorageError.self) {
                        try await database.write { _ = try $0.execute("INSERT INTO things (id) VALUES (\("\(number)"))") }
                    }
                    guard case .unavailable = error else {
                        Issue.record("unexpected \(error as Any)")
                        return
                    }
                }
            }
        }
        try await server.thaw()
        try await eventually { (try? await database.ping()) != nil }
        for _ in 0..<4 { #expect(try await !before.contains(session(database))) }
        try await database.close()
    }

    @Test("is told from a statement that is slow: that is refused, and its connection stays")
    func slow() async throws {
        try await ThrowawayPostgreSQL.shared().withDatabase { uri in
            var limits = Self.limits(answer: .seconds(600))
            (limits.connections, limits.timeouts.statement) = (1, .milliseconds(200))
            let database = try PostgreSQLDatabase(uri: uri, limits: limits, logger: quiet)
            let first = try await session(database)
            await #expect(throws: StorageError.busy) { _ = try await database.read { try $0.query("SELECT pg_sleep(60)") } }
            #expect(try await session(database) == first)
            try await database.close()
        }
    }

    @Test("has bounds that fit together: the server refuses before it is given up, and commands and migrations are left alone")
    func bounds() {
        let calls = PostgreSQLDatabase.Limits(connections: 8)
        #expect(calls.timeouts.lock < calls.timeouts.statement && calls.timeouts.statement < calls.timeouts.answer)
        #expect(max(calls.waitingTime, calls.timeouts.answer, calls.connectTime) < calls.callTime)
        #expect(calls.callTime < .seconds(5))
        let slow = PostgreSQLDatabase.Limits.slow(connections: 1)
        #expect(slow.timeouts.statement > .seconds(1800) && slow.timeouts.statement < slow.timeouts.answer)
        #expect(slow.waitingTime >= slow.timeouts.answer && slow.callTime >= slow.timeouts.answer)
        #expect(slow.timeouts.lock <= .seconds(5))
    }
}
