import Foundation
import Project

#if canImport(Glibc)
    import Glibc
#endif

/// A fixed number of threads that only hash, with a bounded queue in front of them.
///
/// Hashing takes tens of milliseconds of processor time. On the threads of Swift's tasks or of the event loops it would delay all
/// other requests.
final class HashingPool: Sendable {
    /// A snapshot, for metrics and tests.
    struct Load: Sendable, Equatable {
        var running: Int
        var waiting: Int
    }

    private let queue: Queue

    /// - Parameters:
    ///   - workers: Threads, at least one.
    ///   - queueLimit: How many jobs may wait besides those that run.
    init(workers: Int, queueLimit: Int) {
        let workers = max(workers, 1)
        let queue = Queue(workers: workers, capacity: workers + max(queueLimit, 0))
        self.queue = queue
        for number in 0..<workers {
            let thread = Thread { queue.work() }
            thread.name = "password-\(number)"
            thread.start()
        }
    }

    deinit { queue.stop() }

    var load: Load { queue.load }

    /// Runs a body on one of the threads. Cancelling the task removes a body that still waits; a body that runs is completed.
    ///
    /// - Parameter body: The work.
    /// - Returns: What the body returned.
    /// - Throws: What the body threw; ``APIError/overload(_:)`` when the queue is full or the pool closed; `CancellationError`.
    func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        let ticket = Queue.Ticket()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<T, any Error>) in
                queue.add(
                    Queue.Job(
                        ticket: ticket,
                        run: {
                            let result = Result(catching: body)
                            return { continuation.resume(with: result) }
                        },
                        refuse: { continuation.resume(throwing: $0) }
                    )
                )
                // A task that was cancelled before its job was queued could not remove the job then.
                if Task.isCancelled { queue.cancel(ticket) }
            }
        } onCancel: {
            queue.cancel(ticket)
        }
    }

    /// Refuses new work, and waits for the accepted work and for the end of the threads.
    func close() async { await queue.close() }
}

extension HashingPool {
    /// The state that the threads share. It outlives the pool until the threads have ended.
    private final class Queue: Sendable {
        /// Identifies one job.
        final class Ticket: Sendable {}

        struct Job: Sendable {
            let ticket: Ticket
            /// Does the work, and returns the function that delivers its result.
            let run: @Sendable () -> @Sendable () -> Void
            let refuse: @Sendable (any Error) -> Void
        }

        private struct State: Sendable {
            var waiting: [Job] = []
            var running = 0
            var threads: Int
            var isClosed = false
            var closers: [CheckedContinuation<Void, Never>] = []
        }

        private enum Turn {
            case job(Job)
            case nothing
            case end([CheckedContinuation<Void, Never>])
        }

        private let state: LockedState<State>
        private let capacity: Int
        // Counts at least the waiting jobs. A thread that finds no job sleeps again.
        private let wakeUps = DispatchSemaphore(value: 0)

        init(workers: Int, capacity: Int) {
            state = LockedState(State(threads: workers))
            self.capacity = capacity
        }

        var load: Load { state.withLock { Load(running: $0.running, waiting: $0.waiting.count) } }

        func add(_ job: Job) {
            let isTaken = state.withLock { state in
                guard !state.isClosed, state.running + state.waiting.count < capacity else { return false }
                state.waiting.append(job)
                return true
            }
            if isTaken {
                wakeUps.signal()
            } else {
                job.refuse(APIError.overload("Too many passwords are being checked. Please try again later."))
            }
        }

        func cancel(_ ticket: Ticket) {
            let job = state.withLock { state in
                state.waiting.firstIndex { $0.ticket === ticket }.map { state.waiting.remove(at: $0) }
            }
            job?.refuse(CancellationError())
        }

        /// The loop of a thread.
        func work() {
            Self.yieldToOthers()
            while true {
                wakeUps.wait()
                switch nextTurn() {
                case .job(let job):
                    let deliver = job.run()
                    // The place is freed before the result is delivered, because the receiver may send the next job at once.
                    state.withLock { $0.running -= 1 }
                    deliver()
                case .nothing: break
                case .end(let closers):
                    for closer in closers { closer.resume() }
                    return
                }
            }
        }

        private func nextTurn() -> Turn {
            state.withLock { state in
                if !state.waiting.isEmpty {
                    state.running += 1
                    return .job(state.waiting.removeFirst())
                }
                guard state.isClosed else { return .nothing }
                state.threads -= 1
                guard state.threads == 0 else { return .end([]) }
                defer { state.closers = [] }
                return .end(state.closers)
            }
        }

        /// Lets the threads end once no job waits.
        func stop() {
            let threads = state.withLock { state in
                guard !state.isClosed else { return 0 }
                state.isClosed = true
                return state.threads
            }
            for _ in 0..<threads { wakeUps.signal() }
        }

        func close() async {
            stop()
            await withCheckedContinuation { continuation in
                let hasEnded = state.withLock { state in
                    if state.threads > 0 { state.closers.append(continuation) }
                    return state.threads == 0
                }
                if hasEnded { continuation.resume() }
            }
        }

        // On Linux a priority belongs to one thread. When processors are scarce, the other threads run first.
        private static func yieldToOthers() {
            #if canImport(Glibc)
                _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
            #endif
        }
    }
}
