/// Work with files, on threads of its own: a slow disk would block the threads of Swift's tasks, and with them all requests.
package enum FileWork {
    private typealias Work = @Sendable () -> @Sendable () -> Void

    private static let threads: JobThreads<Work> = {
        let rules = JobRules(waiting: 256, full: Busy(), closed: CancellationError(), servesCancelled: true)
        return JobThreads(2, named: "files", rules: rules) { worker in
            worker.serve { work in
                let deliver = work()
                worker.finish()
                deliver()
            }
        }
    }()

    /// Too much work with files waits already.
    package struct Busy: Error {}

    /// Does work on one of the threads, and waits for it.
    package static func run<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await threads.submit { (continuation: CheckedContinuation<T, any Error>) in
            {
                let result = Result { try work() }
                return { continuation.resume(with: result) }
            }
        }
    }
}
