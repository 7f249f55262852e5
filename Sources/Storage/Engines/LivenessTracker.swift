import Project

/// Remembers when the server was last silent, for all connections of a pool.
///
/// A server that is frozen or cut off closes nothing. Without this, each idle connection would cost another call its whole time.
final class LivenessTracker: Sendable {
    private let silentSince = LockedState<ContinuousClock.Instant?>(nil)

    /// Records that the server left a request unanswered.
    func noteSilence(since time: ContinuousClock.Instant) {
        silentSince.withLock { $0 = max($0 ?? time, time) }
    }

    /// Whether a connection has shown life since then, and need not be replaced.
    func vouches(for connection: PostgreSQLConnection) -> Bool {
        silentSince.withLock { since in since.map { connection.lastAnswer >= $0 } ?? true }
    }
}
