import DequeModule
import GRDB
import Project

/// Runs read transactions on a fixed set of connections, each on its own dispatch queue.
///
/// A connection that has finished a read takes the next waiting one at once, so that under load no read pays for waking a thread.
final class ReadPool: Sendable {
    private struct Job: Sendable {
        let ticket: QueueTicket
        let run: @Sendable (GRDB.Database) -> Void
        let refuse: @Sendable (any Error) -> Void
    }

    private struct State: Sendable {
        /// The connection that finished last is used first, because its cache is the warmest.
        var idle: [DatabaseQueue]
        var waiting: Deque<Job> = []
        var isClosed = false
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    private let state: LockedState<State>
    private let connectionCount: Int
    private let maximumWaiting: Int

    // How many reads a connection runs before other work on its dispatch queue. In memory that is the writes.
    private static let turn = 64

    /// - Parameters:
    ///   - connections: The connections; nothing else reads through them.
    ///   - maximumWaiting: How many reads may wait. Further ones are refused as `busy`.
    init(connections: [DatabaseQueue], maximumWaiting: Int = 10_000) {
        state = LockedState(State(idle: connections))
        connectionCount = connections.count
        self.maximumWaiting = maximumWaiting
    }

    /// How many reads wait for a connection.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs a body in a read transaction.
    ///
    /// - Throws: The errors of the body; ``StorageError``; `CancellationError` when it was withdrawn while it waited.
    func submit<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await QueueTicket.waiting { (ticket, continuation: CheckedContinuation<T, any Error>) in
            enqueue(
                Job(
                    ticket: ticket,
                    run: { continuation.resume(with: Self.transaction(on: $0, body)) },
                    refuse: { continuation.resume(throwing: $0) }
                )
            )
        } takeBack: {
            takeBack($0)
        }
    }

    /// Refuses new reads, and waits for the accepted ones.
    func close() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                state.isClosed = true
                let isIdle = state.idle.count == connectionCount
                if !isIdle { state.closers.append(continuation) }
                return isIdle
            }
            if isIdle { continuation.resume() }
        }
    }

    private enum Admission {
        case start(DatabaseQueue)
        case wait
        case refuse(StorageError)
    }

    private func enqueue(_ job: Job) {
        let admission = state.withLock { state -> Admission in
            if state.isClosed { return .refuse(.closed) }
            if let connection = state.idle.popLast() { return .start(connection) }
            if state.waiting.count >= maximumWaiting { return .refuse(.busy) }
            state.waiting.append(job)
            return .wait
        }
        switch admission {
        case .start(let queue): start(job, on: queue)
        case .wait: break
        case .refuse(let error): job.refuse(error)
        }
    }

    private func takeBack(_ ticket: QueueTicket) {
        let job = state.withLock { state in
            state.waiting.firstIndex { $0.ticket === ticket }.map { state.waiting.remove(at: $0) }
        }
        job?.refuse(CancellationError())
    }

    private func start(_ job: Job, on queue: DatabaseQueue) {
        queue.asyncWriteWithoutTransaction { connection in
            job.run(connection)
            for _ in 1..<Self.turn {
                guard let next = self.next(for: queue) else { return }
                next.run(connection)
            }
            if let next = self.next(for: queue) { self.start(next, on: queue) }
        }
    }

    /// The next read for a connection. When none waits, the connection becomes idle.
    private func next(for queue: DatabaseQueue) -> Job? {
        let (job, closers) = state.withLock { state -> (Job?, [CheckedContinuation<Void, Never>]) in
            if let job = state.waiting.popFirst() { return (job, []) }
            state.idle.append(queue)
            guard state.isClosed, state.idle.count == connectionCount else { return (nil, []) }
            defer { state.closers = [] }
            return (nil, state.closers)
        }
        for closer in closers { closer.resume() }
        return job
    }

    private static func transaction<T>(
        on connection: GRDB.Database,
        _ body: (any Transaction) throws -> T
    ) -> Result<T, any Error> {
        do {
            try connection.control("BEGIN DEFERRED")
        } catch {
            return .failure(error)
        }
        let result = SQLiteTransaction(connection: connection, isReadOnly: true).run(body)
        // Nothing was written, so it does not matter how the transaction ends.
        try? connection.control("COMMIT")
        if connection.isInsideTransaction { try? connection.rollback() }
        return result
    }
}
