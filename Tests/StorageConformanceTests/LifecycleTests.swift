import Dispatch
import Storage
import Testing

@Suite("Opening and closing", .teardown, .timeLimit(.minutes(15)))
struct LifecycleTests {
    @Test("an open store answers a ping", arguments: TestBackend.available)
    func ping(backend: TestBackend) async throws {
        try await backend.makeDatabase().ping()
    }

    @Test("a closed store refuses everything, and may be closed again", arguments: TestBackend.available)
    func closed(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        try await database.close()
        await #expect(throws: StorageError.closed) { try await database.execute("INSERT INTO things (id) VALUES ('a')") }
        await #expect(throws: StorageError.closed) { try await database.query("SELECT * FROM things") }
        await #expect(throws: StorageError.closed) { try await database.ping() }
        try await database.close()
    }

    @Test("closing waits for what was handed over", arguments: TestBackend.available)
    func closingWaits(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        let (hasBegun, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let write = Task(executorPreference: OwnThreads()) {
            try await database.write { transaction in
                hasBegun.signal()
                mayGoOn.wait()
                return try transaction.execute("INSERT INTO things (id) VALUES ('a')")
            }
        }
        await hasBegun.signalled()
        let closing = Task { try await database.close() }
        mayGoOn.signal()
        #expect(try await write.value == 1)
        try await closing.value
    }
}
