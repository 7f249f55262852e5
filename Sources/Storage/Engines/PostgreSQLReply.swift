import Dispatch
import Project

/// The answer to a transaction. It is given once: with the result, or with a refusal while no body runs.
final class PostgreSQLReply<Value: Sendable>: Sendable {
    private enum Stage: Equatable {
        /// No body runs. The number tells one try from the next.
        case idle(Int)
        case running(Int)
        case given
    }

    private let stage = LockedState(Stage.idle(0))
    private let continuation: CheckedContinuation<Value, any Error>

    init(_ continuation: CheckedContinuation<Value, any Error>) { self.continuation = continuation }

    /// Whether the answer was given.
    var isGiven: Bool { stage.withLock { $0 == .given } }

    /// Refuses the transaction after a time, unless its body has begun by then.
    func refuse(after time: Duration) {
        let now = stage.withLock { $0 }
        guard case .idle = now else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + time / .seconds(1)) { [weak self] in
            guard let self else { return }
            let isIdle = stage.withLock { stage in
                guard stage == now else { return false }
                stage = .given
                return true
            }
            guard isIdle else { return }
            continuation.resume(throwing: StorageError.unavailable("PostgreSQL: no host has accepted a connection in time"))
        }
    }

    /// Lets the body run. Nobody else gives the answer meanwhile.
    ///
    /// - Returns: Whether it is still waited for.
    func begin() -> Bool {
        stage.withLock { stage in
            guard case .idle(let number) = stage else { return false }
            stage = .running(number)
            return true
        }
    }

    /// Says that the body has run in vain and is to run again.
    func runAgain() {
        stage.withLock { stage in
            if case .running(let number) = stage { stage = .idle(number + 1) }
        }
    }

    /// Gives the result, unless the transaction was refused.
    func give(_ result: Result<Value, any Error>) {
        let isFirst = stage.withLock { stage in
            defer { stage = .given }
            return stage != .given
        }
        if isFirst { continuation.resume(with: result) }
    }
}
