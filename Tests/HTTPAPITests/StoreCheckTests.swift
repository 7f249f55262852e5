import Project
import Storage
import Testing

@testable import HTTPAPI

@Suite("The health check's question to the store", .timeLimit(.minutes(15)))
struct StoreCheckTests {
    /// A store that answers when the test says so.
    private final class SilentStore: Database {
        let asked = LockedState(0)
        let asks: AsyncStream<Void>
        private let ask: AsyncStream<Void>.Continuation
        let answers: AsyncStream<Void>
        let answer: AsyncStream<Void>.Continuation

        init() {
            (answers, answer) = AsyncStream.makeStream(of: Void.self)
            (asks, ask) = AsyncStream.makeStream(of: Void.self)
        }

        func read<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
            throw StorageError.closed
        }

        func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
            throw StorageError.closed
        }

        func ping() async throws {
            asked.withLock { $0 += 1 }
            ask.yield()
            for await _ in answers { return }
            throw StorageError.full
        }

        func close() async throws {}
    }

    @Test("is left open when time is over, and is not asked twice")
    func silence() async throws {
        let store = SilentStore()
        let check = StoreCheck(database: store, patience: .milliseconds(50), tasks: OwnedTasks())
        // They end although the store never answers.
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<20 { tasks.addTask { await #expect(throws: StorageError.busy) { try await check.check() } } }
        }
        for _ in 0..<3 { await #expect(throws: StorageError.busy) { try await check.check() } }
        #expect(store.asked.withLock { $0 } == 1)
    }

    @Test("has one answer for all that wait for it, and is asked anew afterwards")
    func sharing() async throws {
        let store = SilentStore()
        let check = StoreCheck(database: store, patience: .seconds(600), tasks: OwnedTasks())
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<20 { tasks.addTask { try await check.check() } }
            for await _ in store.asks { break }
            store.answer.yield()
            store.answer.finish()
            // A check that came after the answer has asked again, and got the error of the end.
            var refused = 0
            while let result = await tasks.nextResult() {
                do { try result.get() } catch StorageError.full { refused += 1 }
            }
            #expect(refused < 20)
        }
        await #expect(throws: StorageError.full) { try await check.check() }
        #expect(store.asked.withLock { $0 } >= 2)
    }
}
