import Dispatch
import GRDB
import Project
import Testing

@testable import Storage

@Suite("Concurrent reads", .timeLimit(.minutes(15)))
struct ReadPoolTests {
    @Test("as many reads run at once as there are connections")
    func concurrent() async throws {
        let pool = ReadPool(connections: [try DatabaseQueue(), try DatabaseQueue(), try DatabaseQueue()])
        let (arrived, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    try await pool.submit { _ in
                        arrived.signal()
                        mayGoOn.wait()
                    }
                }
            }
            // Each read waits until the others have begun.
            await arrived.signalled(times: 3)
            for _ in 0..<3 { mayGoOn.signal() }
            try await group.waitForAll()
        }
        await pool.close()
    }

    @Test("many more reads than connections are all served")
    func many() async throws {
        let pool = ReadPool(connections: [try DatabaseQueue(), try DatabaseQueue()])
        let sum = try await withThrowingTaskGroup(of: Int64.self) { group in
            for number in 1...1000 {
                group.addTask { try await pool.submit { try $0.queryOne("SELECT \(number) AS n")?.integer("n") ?? 0 } }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 500_500)
        await pool.close()
    }

    @Test("more than may wait are refused as busy; closing serves those that wait")
    func bounded() async throws {
        let pool = ReadPool(connections: [try DatabaseQueue()], maximumWaiting: 5)
        let (isRunning, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await pool.submit { _ in
                    isRunning.signal()
                    mayGoOn.wait()
                }
            }
            await isRunning.signalled()
            for _ in 0..<5 { group.addTask { try await pool.submit { _ in } } }
            while pool.load.waiting < 5, !Task.isCancelled { await Task.yield() }
            await #expect(throws: StorageError.busy) { try await pool.submit { _ in } }
            async let closed: Void = pool.close()
            mayGoOn.signal()
            try await group.waitForAll()
            await closed
        }
        await #expect(throws: StorageError.closed) { try await pool.submit { _ in } }
    }
}
