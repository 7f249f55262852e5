import Project
import Storage
import Synchronization
import TestKit
import Testing
import Tokens

@Suite("The key ring", .timeLimit(.minutes(15)))
struct KeyRingTests {
    /// A store with one delayed read.
    private final class LateDatabase: Database {
        private let database: any Database
        private let state = Mutex((isArmed: false, isOpen: false))
        private let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        private let (openings, opening) = AsyncStream.makeStream(of: Void.self)

        init(_ database: any Database) { self.database = database }

        func holdNextRead() { state.withLock { $0.isArmed = true } }

        /// Waits until a read is held.
        func held() async { for await _ in arrivals { return } }

        /// Releases the read.
        func release() { opening.finish() }

        func read<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
            let isHeld = state.withLock { state in
                defer { state.isArmed = false }
                return state.isArmed
            }
            let result = try await database.read(body)
            if isHeld {
                arrival.yield()
                for await _ in openings {}
            }
            return result
        }

        func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
            try await database.write(body)
        }

        func ping() async throws { try await database.ping() }

        func close() async throws { try await database.close() }
    }

    @Test("does not go back to the old key when a read that began before a rotation ends after it")
    func lateRead() async throws {
        let clock = TestClock()
        let store = try SQLiteDatabase(.memory, readers: 1, logger: LogCapture().logger())
        try await Migrator.sqlite.migrate(store, now: 0)
        let database = LateDatabase(store)
        let environment = clock.environment()
        let sealer = TokenSealer(masterKey: try MasterKey(bytes: Array(1...32)), environment: environment)
        func ring() -> KeyRing {
            KeyRing(
                database: database,
                sealer: sealer,
                environment: environment,
                purpose: .idToken,
                tokenLifetime: .seconds(3600)
            )
        }
        let node = ring()
        try await node.load()
        let old = try node.current().kid
        // Another node has rotated, so that there are new keys to read.
        let other = ring()
        try await other.load()
        clock.advance(by: .seconds(1))
        let first = try await other.rotate()
        database.holdNextRead()
        let late = Task { try await node.refresh() }
        await database.held()
        clock.advance(by: .seconds(1))
        let second = try await node.rotate()
        database.release()
        try await late.value
        #expect(Set([old, first, second]).count == 3)
        #expect(try node.current().kid == second)
        try await store.close()
    }
}
