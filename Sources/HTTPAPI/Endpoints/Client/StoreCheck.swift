import Project
import Storage

/// Asks the store whether it answers, for health checks that cannot wait for long.
///
/// One question is open at a time, whatever number of checks wait for its answer. A check whose time is over leaves it open, and the
/// next one waits for the same answer, so that questions to a frozen store do not pile up.
final class StoreCheck: Sendable {
    private struct Waiting {
        let deadline: ContinuousClock.Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var isAsking = false
        var isTiming = false
        /// The oldest first. All may wait equally long.
        var waiting: [Waiting] = []
    }

    private let database: any Database
    private let patience: Duration
    private let tasks: OwnedTasks
    private let state = LockedState(State())

    init(database: any Database, patience: Duration, tasks: OwnedTasks) {
        self.database = database
        self.patience = patience
        self.tasks = tasks
    }

    /// Waits for the store's answer.
    ///
    /// - Throws: ``StorageError``, which is `busy` when the store has not answered in time.
    func run() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let (asks, times) = state.withLock { state in
                state.waiting.append(Waiting(deadline: .now + patience, continuation: continuation))
                defer { (state.isAsking, state.isTiming) = (true, true) }
                return (!state.isAsking, !state.isTiming)
            }
            if asks { tasks.begin { await StorePatience.ofEachTransaction { await self.ask() } } }
            if times { tasks.begin { await self.refuseLate() } }
        }
    }

    private func ask() async {
        let answer: Result<Void, any Error>
        do { answer = .success(try await database.ping()) } catch { answer = .failure(error) }
        let waiting = state.withLock { state in
            defer { (state.isAsking, state.waiting) = (false, []) }
            return state.waiting
        }
        for check in waiting { check.continuation.resume(with: answer) }
    }

    /// Refuses checks whose time is over, until none waits. At the server's end it refuses all.
    private func refuseLate() async {
        while true {
            let next = state.withLock { state in
                state.isTiming = !state.waiting.isEmpty
                return state.waiting.first?.deadline
            }
            guard let next else { return }
            let isEnd = (try? await Task.sleep(until: next, clock: .continuous)) == nil
            let late = state.withLock { state in
                let count = state.waiting.prefix { isEnd || $0.deadline <= .now }.count
                defer { state.waiting.removeFirst(count) }
                return Array(state.waiting.prefix(count))
            }
            for check in late { check.continuation.resume(throwing: StorageError.busy) }
        }
    }
}
