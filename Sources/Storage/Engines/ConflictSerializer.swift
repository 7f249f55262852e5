import Dispatch

/// Lets transactions that had conflicts run one after the other.
///
/// PostgreSQL detects conflicts by index pages, and a small table has few pages. The more transactions run on it at once, the
/// fewer succeed. Transactions that wait here do not disturb the others.
final class ConflictSerializer: Sendable {
    private let turn = DispatchSemaphore(value: 1)

    /// Takes the turn.
    func take(patience: Duration) -> Bool {
        // `DispatchTime` is monotonic: setting the system's clock does not affect it.
        turn.wait(timeout: .now() + patience / .seconds(1)) == .success
    }

    /// Passes the turn on.
    func give() { turn.signal() }
}
