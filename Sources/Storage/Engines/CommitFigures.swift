import CoreMetrics
import Project

/// Tells a monitor how long commits take, and how many writes share one.
struct CommitFigures: Sendable {
    private let duration: Timer
    private let writes: Recorder

    /// - Parameter metrics: Where to record.
    init(_ metrics: any MetricsFactory) {
        duration = Timer(label: "postern_database_commit_duration_seconds", factory: metrics)
        writes = Recorder(label: "postern_database_commit_writes", factory: metrics)
    }

    /// Records a commit.
    ///
    /// - Parameters:
    ///   - writes: How many writes it made durable.
    ///   - commit: The commit.
    /// - Throws: What the commit throws; nothing is recorded then.
    func measure<E: Error>(writes: Int, _ commit: () throws(E) -> Void) throws(E) {
        let start = ContinuousClock.now
        try commit()
        duration.recordNanoseconds((ContinuousClock.now - start).wholeNanoseconds)
        self.writes.record(writes)
    }
}
