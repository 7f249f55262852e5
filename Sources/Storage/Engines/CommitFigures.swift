import CoreMetrics
import Project

/// Tells a monitor how long commits take, how many writes share one, and how many sessions they end.
struct CommitFigures: Sendable {
    private let duration: Timer
    private let writes: Recorder
    private let endedSessions: Counter

    init(_ metrics: any MetricsFactory) {
        duration = Timer(label: "postern_database_commit_duration_seconds", factory: metrics)
        writes = Recorder(label: "postern_database_commit_writes", factory: metrics)
        endedSessions = Counter(label: "postern_sessions_ended_total", factory: metrics)
    }

    /// Records a commit.
    ///
    /// - Throws: Nothing is recorded when it throws.
    func measure<E: Error>(writes: Int, endedSessions: Int, _ commit: () throws(E) -> Void) throws(E) {
        let start = ContinuousClock.now
        try commit()
        duration.recordNanoseconds((ContinuousClock.now - start).wholeNanoseconds)
        self.writes.record(writes)
        count(endedSessions: endedSessions)
    }

    /// Counts sessions that a committed transaction ended.
    func count(endedSessions: Int) {
        if endedSessions > 0 { self.endedSessions.increment(by: Int64(endedSessions)) }
    }
}
