import Dispatch
import Project
import Storage
import Testing

@Suite("Transactions", .teardown, .timeLimit(.minutes(15)))
struct TransactionTests {
    @Test("a body that throws changes nothing, and its error comes back", arguments: TestBackend.available)
    func rollback(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        await #expect(throws: RollbackError()) {
            try await database.write { transaction in
                try transaction.execute("INSERT INTO things (id) VALUES ('a')")
                throw RollbackError()
            }
        }
        #expect(try await database.count("things") == 0)
    }

    @Test("what a body wrote it can read", arguments: TestBackend.available)
    func readsItsWrites(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        let seen = try await database.write { transaction in
            try transaction.execute("INSERT INTO things (id, number) VALUES ('a', 1)")
            try transaction.execute("UPDATE things SET number = number + 1")
            return try transaction.queryOne("SELECT number FROM things")?.integer("number")
        }
        #expect(seen == 2)
    }

    @Test("of many bodies at once only the throwing ones are undone", arguments: TestBackend.available)
    func rollbackAmongOthers(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        try await database.execute("INSERT INTO things (id) VALUES ('taken')")
        let outcomes = await withTaskGroup(of: (Int, StorageError?, Bool).self) { group in
            for number in 0..<120 {
                group.addTask {
                    do {
                        try await database.write { transaction in
                            try transaction.execute("INSERT INTO things (id, number) VALUES (\("t\(number)"), \(number))")
                            if number % 3 == 1 { throw RollbackError() }
                            if number % 3 == 2 { try transaction.execute("INSERT INTO things (id) VALUES ('taken')") }
                        }
                        return (number, nil, false)
                    } catch {
                        return (number, error as? StorageError, error is RollbackError)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for (number, storageError, isRefusal) in outcomes {
            #expect(isRefusal == (number % 3 == 1))
            #expect(storageError == (number % 3 == 2 ? .uniqueViolation(index: "things_pkey") : nil))
        }
        let rows = try await database.query("SELECT number FROM things WHERE number IS NOT NULL ORDER BY number")
        #expect(try rows.map { Int(try $0.integer("number")) } == (0..<120).filter { $0.isMultiple(of: 3) })
    }

    @Test("after a failed statement the transaction is lost, even where the body goes on", arguments: TestBackend.available)
    func swallowedFailure(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        try await database.execute("INSERT INTO things (id) VALUES ('taken')")
        await #expect(throws: StorageError.uniqueViolation(index: "things_pkey")) {
            try await database.write { transaction in
                try transaction.execute("INSERT INTO things (id) VALUES ('before')")
                _ = try? transaction.execute("INSERT INTO things (id) VALUES ('taken')")
            }
        }
        await #expect(throws: StorageError.uniqueViolation(index: "things_pkey")) {
            try await database.write { transaction in
                _ = try? transaction.execute("INSERT INTO things (id) VALUES ('taken')")
                try transaction.execute("INSERT INTO things (id) VALUES ('after')")
            }
        }
        #expect(try await database.count("things") == 1)
    }

    @Test("a read body cannot write", arguments: TestBackend.available)
    func readOnly(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        let statements: [SQL] = ["INSERT INTO things (id) VALUES ('a')", "UPDATE things SET number = 1", "DROP TABLE things"]
        for statement in statements {
            await #expect(throws: StorageError.readOnly) { try await database.read { try $0.execute(statement) } }
            await #expect(throws: StorageError.readOnly) { try await database.read { try $0.query(statement) } }
        }
        #expect(try await database.count("things") == 0)
        try await database.execute("INSERT INTO things (id) VALUES ('a')")
    }

    @Test("a read body that throws leaves its connection fit for the next", arguments: TestBackend.available)
    func throwingReads(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        for _ in 0..<20 {
            await #expect(throws: RollbackError()) {
                try await database.read { transaction in
                    _ = try transaction.query("SELECT * FROM things")
                    throw RollbackError()
                }
            }
        }
        #expect(try await database.count("things") == 0)
    }

    @Test("a read sees one state of the store, whatever is written meanwhile", arguments: TestBackend.concurrent)
    func snapshot(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        let (hasRead, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let counts = database.read { transaction in
            let sql: SQL = "SELECT count(*) AS n FROM things"
            let before = try transaction.queryOne(sql)?.integer("n")
            hasRead.signal()
            mayGoOn.wait()
            // The body may run again.
            mayGoOn.signal()
            return [before, try transaction.queryOne(sql)?.integer("n")]
        }
        await hasRead.signalled()
        try await database.execute("INSERT INTO things (id) VALUES ('a')")
        #expect(try await database.count("things") == 1)
        mayGoOn.signal()
        #expect(try await counts == [0, 0])
    }

    @Test("nobody sees a write before it is committed", arguments: TestBackend.concurrent)
    func noDirtyReads(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        let (hasWritten, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let written: Void = database.write { transaction in
            try transaction.execute("INSERT INTO things (id) VALUES ('a')")
            hasWritten.signal()
            mayGoOn.wait()
            // The body may run again.
            mayGoOn.signal()
        }
        await hasWritten.signalled()
        #expect(try await database.count("things") == 0)
        mayGoOn.signal()
        try await written
        #expect(try await database.count("things") == 1)
    }

    @Test("cancelling a task does not undo a write that it handed over", arguments: TestBackend.available)
    func cancellation(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        let (hasBegun, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let task = Task(executorPreference: OwnThreads()) {
            try await database.write { transaction in
                hasBegun.signal()
                mayGoOn.wait()
                // The body may run again.
                mayGoOn.signal()
                try transaction.execute("INSERT INTO things (id) VALUES ('a')")
            }
        }
        await hasBegun.signalled()
        task.cancel()
        mayGoOn.signal()
        try await task.value
        #expect(try await database.count("things") == 1)
    }

    @Test(
        "cancelling a task takes back what waits for its turn, and what it hands over afterwards is run",
        arguments: TestBackend.available,
        [true, false]
    )
    func cancelWaiting(backend: TestBackend, writes: Bool) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        let mayGoOn = DispatchSemaphore(value: 0)
        let hold: @Sendable (Transaction) throws -> Void = { _ in
            mayGoOn.wait()
            // The body may run again.
            mayGoOn.signal()
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            // As many as it takes for one to wait. In memory, reads and writes have the same connection.
            while database.waitingCount == 0 {
                group.addTask(executorPreference: OwnThreads()) {
                    if writes { try await database.write(hold) } else { try await database.read(hold) }
                }
                try await Task.sleep(for: .milliseconds(20))
            }
            let before = database.waitingCount
            let (hasRun, wasTakenBack) = (LockedState(false), LockedState(false))
            let waiting = Task {
                let note: @Sendable (Transaction) throws -> Void = { _ in hasRun.withLock { $0 = true } }
                do {
                    if writes { try await database.write(note) } else { try await database.read(note) }
                } catch {
                    #expect(error is CancellationError)
                    wasTakenBack.withLock { $0 = true }
                    try await database.execute("INSERT INTO things (id) VALUES ('tidied up')")
                }
            }
            while database.waitingCount == before, !Task.isCancelled { await Task.yield() }
            waiting.cancel()
            // While those before it still run.
            while !wasTakenBack.withLock({ $0 }), !Task.isCancelled { await Task.yield() }
            mayGoOn.signal()
            try await waiting.value
            try await group.waitForAll()
            #expect(!hasRun.withLock { $0 })
            #expect(try await database.count("things") == 1)
        }
    }
}

extension DispatchSemaphore {
    /// Waits without blocking the cooperative threads, which global queues share. Cancelling the task ends the wait.
    func signalled() async {
        while !take(), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(2)) }
    }

    private func take() -> Bool { wait(timeout: .now()) == .success }
}
