import Dispatch
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
    typealias Load = JobLoad

    /// Does the work, and returns the function that delivers its result.
    private typealias Work = @Sendable () -> @Sendable () -> Void

    private let threads: JobThreads<Work>
    private let refusal = APIError.overload("Too many passwords are being checked. Please try again later.")
    /// How many jobs of one client may wait or run, so that none fills the queue for all others (threat case RES-07).
    let share: Int
    /// How many jobs of no client may wait or run: administrators never take the last places.
    let shareOfNobody: Int
    // The jobs of each client that has some.
    private let jobs = LockedState<[String?: Int]>([:])

    // The first hash after the pause takes its memory from the system again, so the pause is longer than those of a busy server.
    private static let pauseBeforeTidying = DispatchTimeInterval.seconds(20)

    /// - Parameters:
    ///   - workers: Threads, at least one.
    ///   - queueLimit: How many jobs may wait besides those that run.
    init(workers: Int, queueLimit: Int) {
        let places = max(workers, 1) + max(queueLimit, 0)
        share = max(places / 4, 1)
        shareOfNobody = max(places - places / 4, 1)
        let rules = JobRules(waiting: queueLimit, full: refusal, closed: refusal, servesCancelled: false)
        threads = JobThreads(max(workers, 1), named: "password", rules: rules) { post in
            Self.yieldToOthers()
            post.serve(tidyingAfter: Self.pauseBeforeTidying, HashMemory.release) { work in
                let deliver = work()
                post.finish()
                deliver()
            }
        }
    }

    var load: Load { threads.load }

    /// Runs a body on one of the threads. Cancelling the task removes a body that still waits; a body that runs is completed.
    ///
    /// - Parameters:
    ///   - client: The client whose ``share`` the job is of; `nil` for administrators.
    ///   - body: The work.
    /// - Returns: What the body returned.
    /// - Throws: What the body threw; ``APIError/overload(_:)`` when the queue is full, the client's share used up or the pool closed;
    ///   `CancellationError`.
    func run<T: Sendable>(for client: String?, _ body: @escaping @Sendable () throws -> T) async throws -> T {
        guard enter(client) else { throw refusal }
        defer { leave(client) }
        return try await threads.submit { (continuation: CheckedContinuation<T, any Error>) in
            {
                let result = Result(catching: body)
                return { continuation.resume(with: result) }
            }
        }
    }

    private func enter(_ client: String?) -> Bool {
        jobs.withLock { jobs in
            let count = jobs[client] ?? 0
            guard count < (client == nil ? shareOfNobody : share) else { return false }
            jobs[client] = count + 1
            return true
        }
    }

    private func leave(_ client: String?) {
        jobs.withLock { jobs in
            let count = jobs[client] ?? 0
            jobs[client] = count > 1 ? count - 1 : nil
        }
    }

    /// Refuses new work, and waits for the accepted work and for the end of the threads.
    func close() async { await threads.close() }

    // On Linux a priority belongs to one thread. When processors are scarce, the other threads run first.
    private static func yieldToOthers() {
        #if canImport(Glibc)
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
        #endif
    }
}
