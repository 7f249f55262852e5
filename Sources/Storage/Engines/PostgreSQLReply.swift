import Dispatch
import Project

/// The answer to a transaction. It is given once: with the result, or with a refusal while no body runs.
final class PostgreSQLReply<Value: Sendable>: Sendable {
    private enum Stage: Equatable {
        /// No body runs.
        case idle
        case running
        case given
    }

    private let stage = LockedState(Stage.idle)
    private let continuation: CheckedContinuation<Value, any Error>

    init(_ continuation: CheckedContinuation<Value, any Error>) { self.continuation = continuation }

    /// Whether the answer was given.
    var isGiven: Bool { stage.withLock { $0 == .given } }

    /// Refuses the transaction at a time, unless its body runs then.
    func refuse(at end: ContinuousClock.Instant) {
        DispatchQueue.global().asyncAfter(deadline: .now() + max(end - .now, .zero) / .seconds(1)) { [weak self] in
            guard let self, self.advance(from: .idle, to: .given) else { return }
            continuation.resume(throwing: StorageError.unavailable("PostgreSQL: no host has accepted a connection in time"))
        }
    }

    /// Lets the body run. Nobody else gives the answer meanwhile.
    ///
    /// - Returns: Whether it is still waited for.
    func begin() -> Bool { advance(from: .idle, to: .running) }

    /// Says that the body has run in vain and is to run again.
    func runAgain() { _ = advance(from: .running, to: .idle) }

    /// Gives the result, unless the transaction was refused.
    func give(_ result: Result<Value, any Error>) {
        let isFirst = stage.withLock { stage in
            defer { stage = .given }
            return stage != .given
        }
        if isFirst { continuation.resume(with: result) }
    }

    private func advance(from old: Stage, to new: Stage) -> Bool {
        stage.withLock { stage in
            guard stage == old else { return false }
            stage = new
            return true
        }
    }
}
