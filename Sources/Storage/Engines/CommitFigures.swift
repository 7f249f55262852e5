import CoreMetrics
import Project

/// Tells a monitor how long commits take, how many writes share one, and how many sessions they end.
struct CommitFigures: Sendable {
    private let duration: Timer
    private let writes: Recorder
    private let endedSessions: Counter

    /// - Parameter metrics: Where to record.
    init(_ metrics: any MetricsFactory) {
        duration = Timer(label: "postern_database_commit_duration_seconds", factory: metrics)
        writes = Recorder(label: "postern_database_commit_writes", factory: metrics)
        endedSessions = Counter(label: "postern_sessions_ended_total", factory: metrics)
    }

    /// Records a commit.
    ///
    /// - Parameters:
    ///   - writes: How many writes it made durable.
    ///   - endedSessions: How many sessions they ended.
    ///   - commit: The commit.
    /// - Throws: What the commit throws; nothing is recorded then.
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
