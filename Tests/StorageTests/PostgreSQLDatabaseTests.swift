import Dispatch
import Foundation
import Project
import Storage
import TestKit
import Testing

@Suite("PostgreSQL", .timeLimit(.minutes(15)))
struct PostgreSQLDatabaseTests {
    private func withDatabase(
        connections: Int = 2,
        _ change: (inout PostgreSQLDatabase.Limits) -> Void = { _ in },
        _ body: (PostgreSQLDatabase) async throws -> Void
    ) async throws {
        var limits = Self.patient(connections)
        change(&limits)
        try await ThrowawayPostgreSQL.shared().withDatabase { [limits] uri in
            let patient = try PostgreSQLDatabase(uri: uri, limits: Self.patient(1), logger: quiet)
            try await patient.write { transaction in
                try transaction.execute("CREATE TABLE things (id TEXT NOT NULL, number BIGINT, PRIMARY KEY (id))")
                // A ping after a failed write writes to this table.
                try transaction.execute("CREATE TABLE leases (name TEXT PRIMARY KEY, holder TEXT, expires_at BIGINT)")
            }
            try await patient.close()
            let database = try PostgreSQLDatabase(uri: uri, limits: limits, logger: quiet)
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await body(database)) } catch { outcome = .failure(error) }
            try await database.close()
            try outcome.get()
        }
    }

    /// A machine that runs other tests is slow, so that no server may be given up.
    private static func patient(_ connections: Int) -> PostgreSQLDatabase.Limits {
        .init(connections: connections, patience: .seconds(600))
    }

    private func count(_ database: PostgreSQLDatabase) async throws -> Int64? {
        try await database.read { try $0.queryOne("SELECT count(*) AS n FROM things")?.integer("n") }
    }

    /// Runs a body while a write occupies the only connection.
    private func whileOccupied(_ database: PostgreSQLDatabase, _ body: () async throws -> Void) async throws {
        let (hasBegun, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let occupied: Void = whileBusy {
            try await database.write { _ in
                hasBegun.signal()
                mayGoOn.wait()
            }
        }
        await hasBegun.signalled()
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        mayGoOn.signal()
        try await occupied
        try outcome.get()
    }

    /// Runs a body again for as long as the store is busy.
    private func whileBusy(_ body: () async throws -> Void) async throws {
        while true {
            do { return try await body() } catch StorageError.busy { try await Task.sleep(for: .milliseconds(10)) }
        }
    }

    @Test("who waits too long for a connection is told that the store is busy")
    func waitingTime() async throws {
        try await withDatabase(connections: 1) {
            // The start of the thread may take longer than that too.
            $0.waitingTime = .milliseconds(1)
        } _: { database in
            try await whileOccupied(database) {
                await #expect(throws: StorageError.busy) { try await database.ping() }
                await #expect(throws: StorageError.busy) { try await database.write { _ in } }
            }
            try await whileBusy { try await database.ping() }
        }
    }

    @Test("no more wait than may")
    func waiters() async throws {
        try await withDatabase(connections: 1) {
            $0.waiting = 1
        } _: { database in
            let (outcomes, ended) = AsyncStream.makeStream(of: StorageError?.self)
            var iterator = outcomes.makeAsyncIterator()
            try await whileOccupied(database) {
                for _ in 0..<5 {
                    Task {
                        let result = await Result { try await database.ping() }
                        ended.yield(result.error as? StorageError)
                    }
                }
                for _ in 0..<4 { #expect(await iterator.next() == .some(.busy)) }
            }
            #expect(await iterator.next() == .some(nil))
        }
    }

    @Test("two that wait for each other's rows are both made, also where neither waits for long")
    func crossedLocks() async throws {
        try await withDatabase(connections: 2) {
            // PostgreSQL looks for such pairs after a second (`deadlock_timeout`).
            $0 = .init(connections: 2, answer: .seconds(1))
        } _: { database in
            try await database.write { transaction in
                for id in ["a", "b"] { try transaction.execute("INSERT INTO things (id, number) VALUES (\(id), 0)") }
            }
            // Each has its first row before either asks for its second one.
            let holders = LockedState<Set<String>>([])
            @Sendable func rename(_ first: String, _ second: String) async throws {
                try await database.write { transaction in
                    try transaction.execute("UPDATE things SET number = number + 1 WHERE id = \(first)")
                    holders.withLock { _ = $0.insert(first) }
                    while holders.withLock({ $0.count < 2 }) { Thread.sleep(forTimeInterval: 0.001) }
                    try transaction.execute("UPDATE things SET number = number + 1 WHERE id = \(second)")
                }
            }
            async let one: Void = rename("a", "b")
            async let other: Void = rename("b", "a")
            try await one
            try await other
            #expect(try await count(database) == 2)
        }
    }

    @Test("a connection that the server has closed is replaced, and the body runs again")
    func lostConnection() async throws {
        try await withDatabase(connections: 1) { database in
            let runs = LockedState(0)
            try await database.write { transaction in
                try transaction.execute("INSERT INTO things (id) VALUES ('a')")
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                if run == 1 { _ = try transaction.query("SELECT pg_terminate_backend(pg_backend_pid())") }
            }
            #expect(runs.withLock { $0 } == 2)
            #expect(try await count(database) == 1)
        }
    }

    @Test("a body whose every connection is lost fails in the end")
    func alwaysLost() async throws {
        try await withDatabase { database in
            let error = await #expect(throws: StorageError.self) {
                try await database.write { _ = try $0.query("SELECT pg_terminate_backend(pg_backend_pid())") }
            }
            guard case .unavailable = error else {
                Issue.record("unexpected \(error as Any)")
                return
            }
            try await database.ping()
        }
    }

    @Test("a write whose connection breaks during the commit has an unknown outcome, and is not repeated")
    func unknownOutcome() async throws {
        try await withDatabase { database in
            // Ends the connection during a commit.
            try await database.write { transaction in
                try transaction.execute(
                    """
                    CREATE FUNCTION hang_up() RETURNS trigger LANGUAGE plpgsql AS
                    'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'
                    """
                )
                try transaction.execute(
                    """
                    CREATE CONSTRAINT TRIGGER hang_up AFTER INSERT ON things DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW EXECUTE FUNCTION hang_up()
                    """
                )
            }
            let runs = LockedState(0)
            await #expect(throws: StorageError.outcomeUnknown) {
                try await database.write { transaction in
                    runs.withLock { $0 += 1 }
                    try transaction.execute("INSERT INTO things (id) VALUES ('a')")
                }
            }
            #expect(runs.withLock { $0 } == 1)
            try await database.ping()
        }
    }

    @Test("a rule over several rows holds, though each write only looked at what the other changed")
    func writeSkew() async throws {
        try await withDatabase(connections: 8) { database in
            _ = try await database.write { try $0.execute("INSERT INTO things (id, number) VALUES ('a', 1), ('b', 1)") }
            // Each of them may go only while the other stays.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in ["a", "b", "a", "b"] {
                    group.addTask {
                        try await database.write { transaction in
                            let left = try transaction.queryOne("SELECT sum(number) AS n FROM things")?.integer("n")
                            guard left == 2 else { return }
                            try transaction.execute("UPDATE things SET number = 0 WHERE id = \(id)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            let left = try await database.read { try $0.queryOne("SELECT sum(number) AS n FROM things")?.integer("n") }
            #expect(left == 1)
        }
    }

    @Test("statements of ever new shapes do not pile up on the server")
    func statementsAreBounded() async throws {
        try await withDatabase(connections: 1) { database in
            for number in 0..<1200 {
                _ = try await database.read { try $0.query("SELECT \(raw: String(number)) AS n, \(number) AS m") }
            }
            let prepared = try await database.read {
                try $0.queryOne("SELECT count(*) AS n FROM pg_prepared_statements")?.integer("n") ?? 0
            }
            #expect(prepared > 0 && prepared <= 512)
        }
    }

    @Test("a value may be null at first and not later, and the other way round")
    func openTypes() async throws {
        try await withDatabase(connections: 1) { database in
            for (id, number) in [("a", nil), ("b", 5), ("c", nil), ("d", 7)] as [(String, Int64?)] {
                _ = try await database.write { try $0.execute("INSERT INTO things (id, number) VALUES (\(id), \(number))") }
            }
            let rows = try await database.read { try $0.query("SELECT number FROM things ORDER BY id") }
            #expect(try rows.map { try $0.integerIfPresent("number") } == [nil, 5, nil, 7])
        }
    }

    @Test("after a restart of the server the same store goes on", .timeLimit(.minutes(15)))
    func restart() async throws {
        let server = try await ThrowawayPostgreSQL.own()
        let database = try PostgreSQLDatabase(uri: server.uri(), limits: Self.patient(4), logger: quiet)
        try await database.write { _ = try $0.execute("CREATE TABLE things (id TEXT NOT NULL, number BIGINT, PRIMARY KEY (id))") }
        try await server.crash()
        let error = await #expect(throws: StorageError.self) { try await database.ping() }
        guard case .unavailable = error else {
            Issue.record("unexpected \(error as Any)")
            return
        }
        try await server.start()
        try await database.write { _ = try $0.execute("INSERT INTO things (id) VALUES ('a')") }
        #expect(try await count(database) == 1)
        try await database.close()
    }

    @Test(
        "an address that cannot be used is refused without its secrets",
        arguments: [
            "postgresql://user:hunter2secret@127.0.0.1:1/db", "postgresql://user:hunter2secret@nowhere.invalid/db",
            "postgresql://user:hunter2secret%zz@127.0.0.1:1/db", "postgresql://user:hunter/2secret@127.0.0.1:1/db",
            "postgresql://127.0.0.1:1/db?user=u&password=hunter2secret", "postgresql://user:hunter2secret@127.0.0.1:port/db",
            "postgresql://user:x@hunter2secret@127.0.0.1:1/db",
        ]
    )
    func secrets(uri: String) async throws {
        let log = LogCapture()
        let error = await #expect(throws: StorageError.self) {
            let database = try PostgreSQLDatabase(uri: uri, limits: .init(connections: 1), logger: log.logger())
            defer { Task { try await database.close() } }
            try await database.ping()
        }
        let told = "\(error as Any) \(log.lines)"
        #expect(!told.contains("hunter") && !told.contains("2secret"))
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }

    fileprivate var error: (any Error)? { if case .failure(let error) = self { error } else { nil } }
}
