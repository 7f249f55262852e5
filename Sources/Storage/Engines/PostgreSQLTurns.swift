import Dispatch

/// Lets transactions that met conflicts run one after the other.
///
/// PostgreSQL finds conflicts by pages of indexes, and in a small table everything is on a few pages: there, the more run at once, the
/// fewer get through. Whoever waits here leaves the field to the others.
final class PostgreSQLTurns: Sendable {
    private let turn = DispatchSemaphore(value: 1)

    /// Takes the turn.
    ///
    /// - Parameter patience: For how long to wait.
    /// - Returns: Whether it came.
    func take(patience: Duration) -> Bool {
        // Of a clock that nobody sets.
        turn.wait(timeout: .now() + patience / .seconds(1)) == .success
    }

    /// Gives the turn to the next.
    func give() { turn.signal() }
}
