import Synchronization

/// Places for as many bodies as may run at once. The others wait in the order in which they came.
package final class Places: Sendable {
    private typealias Waiting = CheckedContinuation<Void, any Error>

    private struct State {
        var free: Int
        var number = 0
        var line: [(number: Int, waiting: Waiting)] = []
    }

    private let state: Mutex<State>

    /// - Parameter count: How many bodies may run at once.
    package init(_ count: Int) { state = Mutex(State(free: count)) }

    /// Runs a body once there is a place for it.
    ///
    /// - Throws: What the body throws; `CancellationError` when the task is cancelled while it waits.
    package func taking<T>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> T
    ) async throws -> T {
        try await take()
        defer { giveBack() }
        return try await body()
    }

    private func take() async throws {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiting in
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    // Once a task is cancelled, its handler has looked for it in the line already.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.free > 0 {
                        state.free -= 1
                        return .success(())
                    }
                    state.line.append((number, waiting))
                    return nil
                }
                if let outcome { waiting.resume(with: outcome) }
            }
        } onCancel: {
            let left = state.withLock { state in
                state.line.firstIndex { $0.number == number }.map { state.line.remove(at: $0).waiting }
            }
            left?.resume(throwing: CancellationError())
        }
    }

    private func giveBack() {
        let next = state.withLock { state -> Waiting? in
            if state.line.isEmpty {
                state.free += 1
                return nil
            }
            return state.line.removeFirst().waiting
        }
        next?.resume()
    }
}
