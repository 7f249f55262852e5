import Project

/// Transactions that wait for a connection, and the threads that run them.
///
/// Every thread has its own connection, so calls of libpq block no other thread. The thread that became idle last is used first,
/// so that under light load few connections are open and their statements are prepared.
final class PostgreSQLPool: Sendable {
    private let threads: JobThreads<@Sendable (PostgreSQLWorker) -> Void>
    private let callTime: Duration

    /// Starts the threads. Each connects when it gets its first transaction.
    init(_ shared: PostgreSQLWorker.Shared) {
        let limits = shared.limits
        callTime = limits.callTime
        let rules = JobRules.storage(waiting: limits.waiting, patience: limits.waitingTime)
        threads = JobThreads(limits.connections, named: "postgresql", rules: rules) { jobs in
            let worker = PostgreSQLWorker(shared)
            jobs.serve { run in run(worker) }
            worker.disconnect()
        }
    }

    /// How busy the connections are.
    var load: JobLoad { threads.load }

    /// Runs a body in a transaction.
    ///
    /// - Throws: ``StorageError/busy`` when too many transactions wait, one waits too long or its call's time is over; `CancellationError`
    ///   when it was withdrawn.
    func submit<T: Sendable>(
        _ mode: PostgreSQLConnection.Mode,
        _ body: @escaping @Sendable (Transaction) throws -> T
    ) async throws -> T {
        let deadline = Deadline.current
        let ends = deadline?.begin(limit: callTime)
        defer { deadline?.pause() }
        let left = ends.map { $0.last - .now }
        if let left, left <= .zero { throw StorageError.busy }
        return try await threads.submit(within: left) { (continuation: CheckedContinuation<T, any Error>) in
            let reply = PostgreSQLReply(continuation)
            return { worker in worker.run(mode, body, until: ends, reply) }
        }
    }

    /// Refuses new transactions, waits for the accepted ones, and closes the connections.
    func close() async { await threads.close() }
}
