import Dispatch
import Project

/// Ends work that blocks a thread: requests under way, and pauses between them.
package final class Interruption: Sendable {
    private let state = LockedState(false)
    private let semaphore = DispatchSemaphore(value: 0)

    package init() {}

    /// Whether the work is to end.
    package var hasCome: Bool { state.withLock { $0 } }

    /// Ends the work.
    package func come() {
        state.withLock { $0 = true }
        semaphore.signal()
    }

    /// Waits for a time, or until the work is to end.
    func wait(_ time: Duration) {
        guard !hasCome else { return }
        _ = semaphore.wait(timeout: .now() + .nanoseconds(Int(time / .nanoseconds(1))))
    }

    /// Runs blocking work on a thread of its own. The task's cancellation ends it.
    package static func run<T: Sendable>(_ work: @escaping @Sendable (Interruption) throws -> T) async throws -> T {
        let interruption = Interruption()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue(label: "postern.objects").async {
                    continuation.resume(with: Result { try work(interruption) })
                }
            }
        } onCancel: {
            interruption.come()
        }
    }
}
