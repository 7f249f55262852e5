import Dispatch

/// Runs tasks on threads of its own. A body that a test has wait may otherwise take the last thread of Swift's pool, because a
/// database in memory runs bodies on the threads of their callers.
final class OwnThreads: TaskExecutor {
    private let queue = DispatchQueue(label: "waiting bodies", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
