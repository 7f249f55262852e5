import Foundation

/// Lets transactions that met conflicts run one after the other.
///
/// PostgreSQL finds conflicts by pages of indexes, and in a small table everything is on a few pages: there, the more run at once, the
/// fewer get through. Whoever waits here leaves the field to the others.
final class PostgreSQLTurns: Sendable {
    private let turn = NSLock()

    /// Takes the turn.
    ///
    /// - Parameter patience: For how long to wait.
    /// - Returns: Whether it came.
    func take(patience: Duration) -> Bool { turn.lock(before: Date(timeIntervalSinceNow: patience / .seconds(1))) }

    /// Gives the turn to the next.
    func give() { turn.unlock() }
}
