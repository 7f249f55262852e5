import Project

/// Remembers when the server was last silent, for all connections of a pool.
///
/// A server that is frozen or cut off closes nothing. Without this, each idle connection would cost another call its whole patience.
final class PostgreSQLSilence: Sendable {
    private let start = LockedState<ContinuousClock.Instant?>(nil)

    /// Records that the server left a request unanswered.
    func note(since time: ContinuousClock.Instant) {
        start.withLock { $0 = max($0 ?? time, time) }
    }

    /// Whether a connection has shown no life since then, and should be replaced.
    func affects(_ connection: PostgreSQLConnection) -> Bool {
        start.withLock { start in start.map { connection.lastAnswer < $0 } ?? false }
    }
}
