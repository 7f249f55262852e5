import DequeModule
import Dispatch
import Foundation
import Logging
import Project

/// Transactions that wait for a connection, and the threads that run them.
///
/// Every thread has its own connection, so calls of libpq block no other thread. The thread that became idle last is used first,
/// so that under light load few connections are open and their statements are prepared.
final class PostgreSQLPool: Sendable {
    private struct Job: Sendable {
        let ticket: QueueTicket
        let run: @Sendable (PostgreSQLWorker) -> Void
        let refuse: @Sendable (any Error) -> Void
        let deadline: ContinuousClock.Instant
    }

    private struct State: Sendable {
        var waiting: Deque<Job> = []
        var sleeping: [DispatchSemaphore] = []
        var isTimerSet = false
        var isClosed = false
        var living: Int
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    private let state: LockedState<State>
    private let limits: PostgreSQLDatabase.Limits
    private let timer = DispatchQueue(label: "postern.postgresql.waiting")

    /// Starts the threads. Each connects when it gets its first transaction.
    init(address: PostgreSQLAddress, limits: PostgreSQLDatabase.Limits, logger: Logger) {
        self.limits = limits
        state = LockedState(State(living: limits.connections))
        let turns = PostgreSQLTurns()
        for _ in 0..<limits.connections {
            let thread = Thread { [self] in
                let worker = PostgreSQLWorker(address: address, limits: limits, turns: turns, logger: logger)
                serve(with: worker)
            }
            thread.name = "postgresql"
            thread.start()
        }
    }

    /// How many transactions wait for a connection.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs a body in a transaction.
    ///
    /// - Throws: The errors of the body; `CancellationError` when it was withdrawn; ``StorageError``, which is `busy` when too many transactions wait or one waits too long.
    func submit<T: Sendable>(
        _ mode: PostgreSQLConnection.Mode,
        _ body: @escaping @Sendable (any Transaction) throws -> T
    ) async throws -> T {
        try await QueueTicket.waiting { (ticket, continuation: CheckedContinuation<T, any Error>) in
            enqueue(
                Job(
                    ticket: ticket,
                    run: { worker in worker.run(mode, body) { continuation.resume(with: $0) } },
                    refuse: { continuation.resume(throwing: $0) },
                    deadline: .now + limits.waitingTime
                )
            )
        } takeBack: {
            takeBack($0)
        }
    }

    /// Refuses new transactions, waits for the accepted ones, and closes the connections.
    func close() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.living > 0 { state.closers.append(continuation) }
                return state.living == 0
            }
            stop()
            if isDone { continuation.resume() }
        }
    }

    /// Refuses new transactions, and lets the threads end after they have run the waiting ones.
    func stop() {
        let sleeping = state.withLock { state in
            state.isClosed = true
            defer { state.sleeping = [] }
            return state.sleeping
        }
        for thread in sleeping { thread.signal() }
    }

    private enum Admission {
        case wake(DispatchSemaphore)
        case wait(setsTimer: Bool)
        case refuse(StorageError)
    }

    private func enqueue(_ job: Job) {
        let admission = state.withLock { state -> Admission in
            if state.isClosed { return .refuse(.closed) }
            if state.sleeping.isEmpty, state.waiting.count >= limits.waiting { return .refuse(.busy) }
            state.waiting.append(job)
            if let thread = state.sleeping.popLast() { return .wake(thread) }
            defer { state.isTimerSet = true }
            return .wait(setsTimer: !state.isTimerSet)
        }
        switch admission {
        case .wake(let thread): thread.signal()
        case .wait(let setsTimer): if setsTimer { setTimer(for: job.deadline) }
        case .refuse(let error): job.refuse(error)
        }
    }

    private func takeBack(_ ticket: QueueTicket) {
        let job = state.withLock { state in
            state.waiting.firstIndex { $0.ticket === ticket }.map { state.waiting.remove(at: $0) }
        }
        job?.refuse(CancellationError())
    }

    private func serve(with worker: PostgreSQLWorker) {
        let wake = DispatchSemaphore(value: 0)
        while true {
            let (job, isDone) = state.withLock { state -> (Job?, Bool) in
                if let job = state.waiting.popFirst() { return (job, false) }
                if !state.isClosed { state.sleeping.append(wake) }
                return (nil, state.isClosed)
            }
            if let job { job.run(worker) } else if isDone { break } else { wake.wait() }
        }
        worker.disconnect()
        let closers = state.withLock { state in
            state.living -= 1
            return state.living == 0 ? state.closers : []
        }
        for closer in closers { closer.resume() }
    }

    private func setTimer(for deadline: ContinuousClock.Instant) {
        let seconds = max((deadline - .now) / .seconds(1), 0)
        timer.asyncAfter(deadline: .now() + seconds) { [weak self] in self?.refuseLate() }
    }

    /// Refuses transactions that have waited too long. All may wait equally long, so they are at the head of the queue.
    private func refuseLate() {
        let now = ContinuousClock.now
        let (late, next) = state.withLock { state -> ([Job], ContinuousClock.Instant?) in
            let late = Array(state.waiting.prefix { $0.deadline <= now })
            state.waiting.removeFirst(late.count)
            let next = state.waiting.first?.deadline
            state.isTimerSet = next != nil
            return (late, next)
        }
        for job in late { job.refuse(StorageError.busy) }
        if let next { setTimer(for: next) }
    }
}
