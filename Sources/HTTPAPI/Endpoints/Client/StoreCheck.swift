import Project
import Storage

/// Asks the store whether it answers, for health checks that cannot wait for long.
///
/// One question is open at a time, whatever number of checks wait for its answer. A check whose time is over leaves it open, and the
/// next one waits for the same answer, so that questions to a frozen store do not pile up.
final class StoreCheck: Sendable {
    private typealias Answer = AsyncThrowingStream<Void, any Error>

    private struct Waiting {
        var begun = 0
        var isAsking = false
        var checks: [Int: Answer.Continuation] = [:]
    }

    private let database: any Database
    private let patience: Duration
    private let tasks: OwnedTasks
    private let waiting = LockedState(Waiting())

    init(database: any Database, patience: Duration, tasks: OwnedTasks) {
        self.database = database
        self.patience = patience
        self.tasks = tasks
    }

    /// Waits for the store's answer.
    ///
    /// - Throws: ``StorageError``, which is `busy` when the store has not answered in time.
    func check() async throws {
        let (answer, check) = Answer.makeStream()
        let (number, asks) = waiting.withLock { waiting in
            waiting.begun += 1
            waiting.checks[waiting.begun] = check
            defer { waiting.isAsking = true }
            return (waiting.begun, !waiting.isAsking)
        }
        if asks { tasks.begin { await Deadline.ofEachTransaction { await self.ask() } } }
        // At the server's end the check is refused at once.
        let bound = tasks.begin { [patience] in
            try? await Task.sleep(for: patience)
            check.finish(throwing: StorageError.busy)
        }
        defer {
            bound.cancel()
            waiting.withLock { $0.checks[number] = nil }
        }
        for try await _ in answer { return }
        throw CancellationError()
    }

    private func ask() async {
        let failure: (any Error)?
        do {
            try await database.ping()
            failure = nil
        } catch {
            failure = error
        }
        let checks = waiting.withLock { waiting in
            defer { (waiting.isAsking, waiting.checks) = (false, [:]) }
            return waiting.checks.values
        }
        for check in checks {
            if failure == nil { check.yield() }
            check.finish(throwing: failure)
        }
    }
}
