import Dispatch
import Project
import Testing

@testable import Passwords

@Suite("Hashing pool", .timeLimit(.minutes(15)))
struct HashingPoolTests {
    /// Keeps workers busy until it is opened.
    private final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        func pass() { semaphore.wait() }
        func open(_ count: Int) { for _ in 0..<count { semaphore.signal() } }
    }

    private static func code(_ body: () async throws -> Void) async -> ErrorCode? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? APIError)?.code
        }
    }

    private static func wait(for load: HashingPool.Load, of pool: HashingPool) async {
        while pool.load != load, !Task.isCancelled { await Task.yield() }
    }

    @Test("takes as many as work and may wait, refuses one more at once, and takes more again later")
    func bound() async throws {
        let pool = HashingPool(workers: 2, queueLimit: 3)
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<5 { group.addTask { try await pool.run(for: HashingClient("\(number)")) { gate.pass() } } }
            await Self.wait(for: .init(running: 2, waiting: 3), of: pool)
            for _ in 0..<10 {
                #expect(await Self.code { try await pool.run(for: HashingClient("late")) {} } == .tooManyAttemptsTryLater)
            }
            gate.open(5)
            try await group.waitForAll()
        }
        #expect(try await pool.run(for: nil) { 7 } == 7)
        await pool.close()
    }

    @Test("gives one client a quarter of its places, and whoever comes from elsewhere finds the others free (RES-07)")
    func shares() async throws {
        let pool = HashingPool(workers: 1, queueLimit: 11)
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 { group.addTask { try await pool.run(for: HashingClient("greedy")) { gate.pass() } } }
            await Self.wait(for: .init(running: 1, waiting: 2), of: pool)
            for _ in 0..<10 {
                #expect(await Self.code { try await pool.run(for: HashingClient("greedy")) {} } == .tooManyAttemptsTryLater)
            }
            for client in [HashingClient("a"), HashingClient("b"), nil, nil, nil] {
                group.addTask { try await pool.run(for: client) { gate.pass() } }
            }
            await Self.wait(for: .init(running: 1, waiting: 7), of: pool)
            gate.open(8)
            try await group.waitForAll()
        }
        // What was done, failed or was taken back leaves no place taken.
        struct Failure: Error {}
        for _ in 0..<5 {
            await #expect(throws: Failure.self) { try await pool.run(for: HashingClient("greedy")) { throw Failure() } }
            let cancelled = Task { try await pool.run(for: HashingClient("greedy")) { 5 } }
            cancelled.cancel()
            _ = await cancelled.result
        }
        #expect(try await pool.run(for: HashingClient("greedy")) { 6 } == 6)
        await pool.close()
    }

    @Test("never gives administrators the last places, so that passwords are checked while they import some")
    func administrators() async throws {
        let pool = HashingPool(workers: 1, queueLimit: 11)
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<9 { group.addTask { try await pool.run(for: nil) { gate.pass() } } }
            await Self.wait(for: .init(running: 1, waiting: 8), of: pool)
            for _ in 0..<10 { #expect(await Self.code { try await pool.run(for: nil) {} } == .tooManyAttemptsTryLater) }
            group.addTask { try await pool.run(for: HashingClient("user")) { gate.pass() } }
            await Self.wait(for: .init(running: 1, waiting: 9), of: pool)
            gate.open(10)
            try await group.waitForAll()
        }
        await pool.close()
    }

    @Test("gives the networks of one customer half of its places together, and no more (RES-07)")
    func sites() async throws {
        let pool = HashingPool(workers: 1, queueLimit: 15)
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask { try await pool.run(for: HashingClient("\(number)", within: "site")) { gate.pass() } }
            }
            await Self.wait(for: .init(running: 1, waiting: 7), of: pool)
            for isUsual in [true, false] {
                let ninth = HashingClient("8", within: "site", isUsual: isUsual)
                #expect(await Self.code { try await pool.run(for: ninth) {} } == .tooManyAttemptsTryLater)
            }
            for client in [HashingClient("a", within: "other"), HashingClient("b")] {
                group.addTask { try await pool.run(for: client) { gate.pass() } }
            }
            await Self.wait(for: .init(running: 1, waiting: 9), of: pool)
            gate.open(10)
            try await group.waitForAll()
        }
        #expect(try await pool.run(for: HashingClient("8", within: "site")) { 8 } == 8)
        await pool.close()
    }

    @Test("keeps an eighth of its places for usual networks, of which none has it all (RES-07)")
    func usualNetworks() async throws {
        let pool = HashingPool(workers: 1, queueLimit: 31)
        #expect(pool.kept == 4)
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<28 { group.addTask { try await pool.run(for: HashingClient("\(number % 7)")) { gate.pass() } } }
            await Self.wait(for: .init(running: 1, waiting: 27), of: pool)
            for client in [HashingClient("stranger"), HashingClient("0", isUsual: true), nil] {
                #expect(await Self.code { try await pool.run(for: client) {} } == .tooManyAttemptsTryLater)
            }
            for number in 0..<2 {
                let client = HashingClient("of one site \(number)", within: "site", isUsual: true)
                group.addTask { try await pool.run(for: client) { gate.pass() } }
            }
            await Self.wait(for: .init(running: 1, waiting: 29), of: pool)
            let third = HashingClient("of one site 2", within: "site", isUsual: true)
            #expect(await Self.code { try await pool.run(for: third) {} } == .tooManyAttemptsTryLater)
            for name in ["owner", "another"] {
                group.addTask { try await pool.run(for: HashingClient(name, isUsual: true)) { gate.pass() } }
            }
            await Self.wait(for: .init(running: 1, waiting: 31), of: pool)
            let late = HashingClient("late", isUsual: true)
            #expect(await Self.code { try await pool.run(for: late) {} } == .tooManyAttemptsTryLater)
            gate.open(32)
            try await group.waitForAll()
        }
        #expect(try await pool.run(for: HashingClient("stranger")) { 9 } == 9)
        await pool.close()
    }

    @Test("never runs more at once than it has threads, and runs every job that it took")
    func concurrency() async throws {
        let pool = HashingPool(workers: 3, queueLimit: 600)
        let counts = LockedState((now: 0, most: 0, done: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                group.addTask {
                    try await pool.run(for: HashingClient("\(number % 10)")) {
                        counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.done) }
                        counts.withLock { $0 = ($0.now - 1, $0.most, $0.done + 1) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(counts.withLock { $0.done } == 500)
        #expect(counts.withLock { $0.most } <= 3)
        #expect(pool.load == .init(running: 0, waiting: 0))
        await pool.close()
    }

    @Test("gives back the place of a job whose task is cancelled while it waits, and does not run it")
    func cancelWaiting() async throws {
        let pool = HashingPool(workers: 1, queueLimit: 1)
        let gate = Gate()
        let running = Task { try await pool.run(for: nil) { gate.pass() } }
        await Self.wait(for: .init(running: 1, waiting: 0), of: pool)
        let hasRun = LockedState(false)
        let waiting = Task { try await pool.run(for: nil) { hasRun.withLock { $0 = true } } }
        await Self.wait(for: .init(running: 1, waiting: 1), of: pool)
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(pool.load == .init(running: 1, waiting: 0))
        let next = Task { try await pool.run(for: nil) { 1 } }
        await Self.wait(for: .init(running: 1, waiting: 1), of: pool)
        gate.open(1)
        try await running.value
        #expect(try await next.value == 1)
        #expect(!hasRun.withLock { $0 })
        await pool.close()
    }

    @Test("lets a running job of a cancelled task end")
    func cancelRunning() async throws {
        let pool = HashingPool(workers: 1, queueLimit: 0)
        let gate = Gate()
        let running = Task { try await pool.run(for: nil) { gate.pass() } }
        await Self.wait(for: .init(running: 1, waiting: 0), of: pool)
        running.cancel()
        gate.open(1)
        try await running.value
        #expect(try await pool.run(for: nil) { 2 } == 2)
        await pool.close()
    }

    @Test("stays whole when tasks are cancelled at any moment")
    func cancelStorm() async throws {
        let pool = HashingPool(workers: 2, queueLimit: 50)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<2000 {
                let task = Task { try await pool.run(for: nil) { number } }
                if number % 3 != 0 { task.cancel() }
                group.addTask { _ = await task.result }
            }
        }
        #expect(try await pool.run(for: nil) { 3 } == 3)
        #expect(pool.load == .init(running: 0, waiting: 0))
        await pool.close()
    }

    @Test("ends what it took before it closes, and takes no more")
    func closing() async throws {
        let pool = HashingPool(workers: 1, queueLimit: 2)
        let gate = Gate()
        let taken = (0..<3).map { number in
            Task {
                try await pool.run(for: nil) {
                    gate.pass()
                    return number
                }
            }
        }
        await Self.wait(for: .init(running: 1, waiting: 2), of: pool)
        let closing = Task { await pool.close() }
        gate.open(3)
        await closing.value
        for (number, task) in taken.enumerated() { #expect(try await task.value == number) }
        #expect(await Self.code { try await pool.run(for: nil) {} } == .tooManyAttemptsTryLater)
        await pool.close()
    }

    @Test("has at least one thread, whatever it was asked for")
    func nonsense() async throws {
        let pool = HashingPool(workers: 0, queueLimit: -1)
        #expect(try await pool.run(for: nil) { 4 } == 4)
        await pool.close()
    }
}
