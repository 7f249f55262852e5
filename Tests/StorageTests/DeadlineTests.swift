import Dispatch
import Foundation
import Project
import TestKit
import Testing

@testable import Storage

@Suite("A call that PostgreSQL keeps waiting", .timeLimit(.minutes(15)))
struct DeadlineTests {
    private static let limit = Duration.seconds(3)

    /// Every other bound is longer than a test may take, so that a call without its own would not end.
    private func database(
        _ server: ThrowawayPostgreSQL,
        connections: Int = 1,
        _ change: (inout PostgreSQLDatabase.Limits) -> Void = { _ in }
    ) throws -> PostgreSQLDatabase {
        var limits = PostgreSQLDatabase.Limits(connections: connections, patience: .seconds(3600))
        limits.callTime = Self.limit
        change(&limits)
        return try PostgreSQLDatabase(uri: server.uri(), limits: limits, logger: quiet)
    }

    /// Whether the time of the call that this task works for is over.
    private var isOver: Bool {
        guard let deadline = Deadline.current else { return false }
        defer { deadline.pause() }
        return deadline.begin(limit: Self.limit).last <= .now
    }

    private func session(_ database: PostgreSQLDatabase) async throws -> Int64? {
        try await database.read { try $0.queryOne("SELECT pg_backend_pid() AS n")?.integer("n") }
    }

    @Test("for answers is refused, in all of its transactions; the connection stays, and what was late was not made")
    func answers() async throws {
        let server = try await ThrowawayPostgreSQL.own()
        try await server.execute("CREATE TABLE things (id TEXT PRIMARY KEY)")
        let database = try database(server)
        let before = try await session(database)
        try await server.freeze()
        await Deadline.ofOneCall {
            #expect(!isOver)
            // The statement is new to the connection. It is prepared when the server goes on, unknown to the client.
            for _ in 0..<2 {
                await #expect(throws: StorageError.busy) {
                    try await database.write { _ = try $0.execute("INSERT INTO things (id) VALUES ('a')") }
                }
                #expect(isOver)
            }
            await #expect(throws: StorageError.busy) { _ = try await session(database) }
        }
        try await server.thaw()
        #expect(try await session(database) == before)
        #expect(try await database.read { try $0.query("SELECT id FROM things").isEmpty })
        try await database.write { _ = try $0.execute("INSERT INTO things (id) VALUES ('a')") }
        #expect(try await session(database) == before)
        try await database.close()
    }

    @Test("shorter than a silent server is given up for, gives it up all the same when there are more of them")
    func silence() async throws {
        let server = try await ThrowawayPostgreSQL.own()
        let database = try database(server) { $0.timeouts.answer = .seconds(4) }
        let before = try await session(database)
        try await server.freeze()
        await Deadline.ofOneCall { _ = await #expect(throws: StorageError.busy) { _ = try await session(database) } }
        await Deadline.ofOneCall {
            let error = await #expect(throws: StorageError.self) { _ = try await session(database) }
            #expect(error == .unavailable("PostgreSQL: the server has not answered for 4.0 seconds"))
        }
        try await server.thaw()
        #expect(try await session(database) != before)
        try await database.close()
    }

    @Test("while it sends more than the server takes is refused, too")
    func sending() async throws {
        let server = try await ThrowawayPostgreSQL.own()
        let database = try database(server)
        _ = try await session(database)
        try await server.freeze()
        let text = String(repeating: "x", count: 32 << 20)
        await Deadline.ofOneCall {
            _ = await #expect(throws: StorageError.busy) {
                _ = try await database.read { try $0.query("SELECT length(\(text)) AS n") }
            }
        }
        try await server.thaw()
        #expect(try await session(database) != nil)
        try await database.close()
    }

    private func insert(
        into database: PostgreSQLDatabase,
        _ hasWritten: DispatchSemaphore,
        _ mayCommit: DispatchSemaphore
    ) async throws {
        try await database.write { transaction in
            try transaction.execute("INSERT INTO things (id) VALUES ('a')")
            hasWritten.signal()
            mayCommit.wait()
        }
    }

    @Test("for a commit does not know its outcome")
    func commit() async throws {
        let server = try await ThrowawayPostgreSQL.own()
        try await server.execute("CREATE TABLE things (id TEXT PRIMARY KEY)")
        let database = try database(server)
        let (hasWritten, mayCommit) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let outcome = Task { try await Deadline.ofOneCall { try await insert(into: database, hasWritten, mayCommit) } }
        await hasWritten.signalled()
        try await server.freeze()
        mayCommit.signal()
        await #expect(throws: StorageError.outcomeUnknown) { try await outcome.value }
        try await server.thaw()
        try await database.close()
    }

    @Test("for so long that a commit might be answered too late makes none")
    func lateCommit() async throws {
        let server = try await ThrowawayPostgreSQL.own()
        try await server.execute("CREATE TABLE things (id TEXT PRIMARY KEY)")
        let database = try database(server)
        _ = try await session(database)
        await Deadline.ofOneCall {
            _ = await #expect(throws: StorageError.busy) {
                try await database.write {
                    _ = try $0.execute("INSERT INTO things (id) VALUES ('a')")
                    // More than three quarters of the time, and less than all of it.
                    Thread.sleep(forTimeInterval: 2.6)
                }
            }
        }
        #expect(try await database.read { try $0.query("SELECT id FROM things").isEmpty })
        try await database.close()
    }

    @Test("for a host that accepts no connection is refused, and so are those behind it; later calls have the connection")
    func connecting() async throws {
        let server = try await ThrowawayPostgreSQL.own()
        let database = try database(server)
        try await server.freeze()
        await Deadline.ofOneCall {
            let error = await #expect(throws: StorageError.self) { try await session(database) }
            guard case .unavailable = error else {
                Issue.record("unexpected \(error as Any)")
                return
            }
        }
        await Deadline.ofOneCall { _ = await #expect(throws: StorageError.busy) { try await session(database) } }
        try await server.thaw()
        #expect(try await session(database) != nil)
        try await database.close()
    }

    @Test("for another one that waits in its turn is refused")
    func turn() async throws {
        let server = try await ThrowawayPostgreSQL.own()
        try await server.execute(
            "CREATE FUNCTION conflict() RETURNS INT LANGUAGE plpgsql AS $$ BEGIN RAISE SQLSTATE '40001'; END $$"
        )
        let database = try database(server, connections: 2)
        let (hasTurn, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let first: Void = {
            let runs = LockedState(0)
            try await database.write { transaction in
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                // The first try and the three without a turn.
                if run <= 4 { _ = try transaction.query("SELECT conflict()") }
                hasTurn.signal()
                mayEnd.wait()
            }
        }()
        await hasTurn.signalled()
        await Deadline.ofOneCall {
            _ = await #expect(throws: StorageError.busy) {
                _ = try await database.write { try $0.query("SELECT conflict()") }
            }
        }
        mayEnd.signal()
        try await first
        try await database.close()
    }

    @Test("is answered once: refused while no body runs, else with the body's result")
    func replies() async throws {
        await #expect(throws: StorageError.self) {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int, any Error>) in
                let reply = PostgreSQLReply(continuation)
                #expect(reply.begin())
                reply.runAgain()
                reply.refuse(at: .now + .milliseconds(10))
                while !reply.isGiven { Thread.sleep(forTimeInterval: 0.001) }
                #expect(!reply.begin())
                reply.give(.success(1))
            }
        }
        let value = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int, any Error>) in
            let reply = PostgreSQLReply(continuation)
            reply.refuse(at: .now + .milliseconds(10))
            #expect(reply.begin())
            // Neither a running body nor a later try is refused by the time of the first one.
            Thread.sleep(forTimeInterval: 0.1)
            reply.runAgain()
            Thread.sleep(forTimeInterval: 0.1)
            #expect(!reply.isGiven)
            #expect(reply.begin())
            reply.give(.success(2))
            #expect(reply.isGiven)
        }
        #expect(value == 2)
    }

    @Test("has patience for any number of short waits")
    func shortWaits() {
        let deadline = Deadline(limit: .milliseconds(400))
        for _ in 0..<60 {
            _ = deadline.begin(limit: .seconds(4))
            Thread.sleep(forTimeInterval: 0.01)
            deadline.pause()
        }
        let left = deadline.begin(limit: .seconds(4)).last - ContinuousClock.now
        #expect(left > .milliseconds(200), "\(left)")
    }

    @Test("has a clock that runs only while it waits, for one transaction or for several at once")
    func clock() async throws {
        let deadline = Deadline()
        let first = deadline.begin(limit: .seconds(4))
        #expect(first.last - first.lastCommit == .seconds(1))
        // The clock runs already.
        #expect(deadline.begin(limit: .seconds(4)) == first)
        deadline.pause()
        #expect(deadline.begin(limit: .seconds(4)) == first)
        deadline.pause()
        deadline.pause()
        try await Task.sleep(for: .milliseconds(300))
        let later = deadline.begin(limit: .seconds(4))
        #expect(later.last - first.last >= .milliseconds(300))
        try await Task.sleep(for: .milliseconds(500))
        deadline.pause()
        let again = deadline.begin(limit: .seconds(4))
        #expect(again.last - ContinuousClock.now <= .milliseconds(3750))
        #expect(Deadline(limit: .seconds(1)).begin(limit: .seconds(4)).last - ContinuousClock.now <= .seconds(1))
    }

    @Test("has one deadline with all that works for it, but none with work of many transactions")
    func scope() async throws {
        #expect(Deadline.current == nil)
        await Deadline.ofOneCall {
            let deadline = Deadline.current
            #expect(deadline != nil)
            let start = ContinuousClock.now
            await Deadline.running { try? await Task.sleep(for: .milliseconds(300)) }
            let left = deadline.map { $0.begin(limit: Self.limit).last - ContinuousClock.now } ?? .zero
            let waited = ContinuousClock.now - start
            #expect(left <= Self.limit - .milliseconds(50) && left >= Self.limit - waited)
            await withTaskGroup(of: Void.self) { group in group.addTask { #expect(Deadline.current === deadline) } }
            await Deadline.ofEachTransaction { #expect(Deadline.current == nil) }
            await Deadline.ofCleanUp {
                let ends = Deadline.current?.begin(limit: Self.limit)
                #expect(ends.map { $0.last - $0.lastCommit } == Duration.milliseconds(750) / 4)
            }
            #expect(Deadline.current === deadline)
        }
    }
}
