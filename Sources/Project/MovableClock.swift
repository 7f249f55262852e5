/// A clock that can be moved forward, so that what ends or expires can be tried at once. In development only.
package final class MovableClock: Sendable {
    private let base: @Sendable () -> Timestamp
    private let lead = LockedState<Duration>(.zero)

    /// How far it can be moved in all: until every code, session and retired key has ended.
    package static let furthest = Duration.seconds(1000 * 86_400)

    package init(_ base: @escaping @Sendable () -> Timestamp) { self.base = base }

    /// The current time.
    package func now() -> Timestamp { base().advanced(by: ahead) }

    /// How far it has been moved.
    package var ahead: Duration { lead.withLock { $0 } }

    /// Moves it forward.
    ///
    /// - Returns: `false` when the new time is beyond ``furthest``, or back.
    package func advance(by duration: Duration) -> Bool {
        guard .zero < duration, duration <= Self.furthest else { return false }
        return lead.withLock { lead in
            guard lead + duration <= Self.furthest else { return false }
            lead += duration
            return true
        }
    }
}
