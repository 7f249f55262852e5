/// What a ``JobQueue`` takes and what it refuses.
package struct JobRules: Sendable {
    let waiting: Int
    let patience: Duration?
    let full: any Error
    let closed: any Error
    let servesCancelled: Bool

    /// - Parameters:
    ///   - waiting: How many jobs may wait besides those for which a worker is free.
    ///   - full: The error of a job that finds too many waiting, or that waited too long.
    ///   - servesCancelled: Whether a job is done although its task was cancelled before it asked. Such a task tidies up what it
    ///     had begun. Otherwise the job is taken back at once.
    package init(waiting: Int, patience: Duration? = nil, full: any Error, closed: any Error, servesCancelled: Bool) {
        self.waiting = max(waiting, 0)
        self.patience = patience
        self.full = full
        self.closed = closed
        self.servesCancelled = servesCancelled
    }
}

/// How busy a ``JobQueue`` is.
package struct JobLoad: Sendable, Hashable {
    /// Workers that have a job.
    package let running: Int
    /// Jobs that no worker has taken yet.
    package let waiting: Int

    package init(running: Int, waiting: Int) {
        self.running = running
        self.waiting = waiting
    }
}
