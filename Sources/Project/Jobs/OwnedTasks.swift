/// Tasks that may go on when the call that began them has ended, as several calls wait for one answer. Their owner ends last and waits for
/// them, so that none of them uses what is closed already.
package final class OwnedTasks: Sendable {
    private struct Running {
        let cancel: @Sendable () -> Void
        let wait: @Sendable () async -> Void
    }

    private struct State {
        var begun = 0
        var running: [Int: Running] = [:]
        var isEnded = false
    }

    private let state = LockedState(State())

    package init() {}

    /// How many of them run.
    package var count: Int { state.withLock { $0.running.count } }

    /// Begins a task. After the owner's end it is cancelled from its beginning.
    @discardableResult
    package func begin<T: Sendable>(_ work: @escaping @Sendable () async -> T) -> Task<T, Never> {
        state.withLock { state in
            state.begun += 1
            let number = state.begun
            let task = Task {
                defer { self.state.withLock { $0.running[number] = nil } }
                return await work()
            }
            if state.isEnded {
                task.cancel()
            } else {
                state.running[number] = Running(cancel: { task.cancel() }, wait: { _ = await task.value })
            }
            return task
        }
    }

    /// Cancels the tasks that run, and waits until they have ended.
    package func end() async {
        let running = state.withLock { state in
            state.isEnded = true
            return Array(state.running.values)
        }
        for task in running { task.cancel() }
        for task in running { await task.wait() }
    }
}
