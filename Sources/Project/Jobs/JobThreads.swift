package import Dispatch
import Foundation

/// Threads that do the jobs of a ``JobQueue``, for work that would block the threads of Swift's tasks.
///
/// The threads end after ``stop()`` or ``close()``, or after the last reference to this value is gone; before that they do the jobs
/// that wait.
package final class JobThreads<Work: Sendable>: Sendable {
    /// A thread that takes jobs from the queue.
    package struct Worker: Sendable {
        fileprivate let number: Int
        fileprivate let queue: JobQueue<Work>
        fileprivate let semaphore = DispatchSemaphore(value: 0)

        /// Does jobs until the queue is closed and empty.
        ///
        /// - Parameters:
        ///   - pause: When to call `tidy`: this long after the last job.
        ///   - tidy: Called once in each pause of that length.
        package func serve(
            tidyingAfter pause: DispatchTimeInterval = .never,
            _ tidy: () -> Void = {},
            _ run: (Work) -> Void
        ) {
            while true {
                switch queue.next(for: number) {
                case .work(let job): run(job.work)
                case .rest:
                    if semaphore.wait(timeout: .now() + pause) == .timedOut {
                        tidy()
                        semaphore.wait()
                    }
                case .end: return
                }
            }
        }

        /// Counts the current job as done before its result is delivered, because the receiver may send the next job at once.
        package func finish() { queue.finish(number) }
    }

    private let queue: JobQueue<Work>
    private let workers: [Worker]

    /// Starts the threads.
    ///
    /// - Parameter life: It calls ``Worker/serve(_:)`` once.
    package init(_ count: Int, named name: String, rules: JobRules, life: @escaping @Sendable (Worker) -> Void) {
        let queue = JobQueue<Work>(workers: count, restAtFirst: false, rules: rules)
        self.queue = queue
        workers = (0..<count).map { Worker(number: $0, queue: queue) }
        for worker in workers {
            // A thread holds only its worker, so that it does not keep this value.
            let thread = Thread {
                life(worker)
                worker.queue.leave()
            }
            thread.name = "\(name)-\(worker.number)"
            thread.start()
        }
    }

    deinit { stop() }

    /// How busy the threads are now.
    package var load: JobLoad { queue.load }

    /// Has a job done by one of the threads; see ``JobQueue/submit(waking:within:_:)``.
    package func submit<T: Sendable>(
        within patience: Duration? = nil,
        _ work: (CheckedContinuation<T, any Error>) -> Work
    ) async throws -> T {
        try await queue.submit(waking: wake, within: patience, work)
    }

    /// Refuses new jobs, and lets the threads end after they have done the waiting ones.
    package func stop() { queue.stop(waking: wake) }

    /// Refuses new jobs, and waits for the accepted ones and for the end of the threads.
    package func close() async { await queue.close(waking: wake) }

    private func wake(_ number: Int) { workers[number].semaphore.signal() }
}
