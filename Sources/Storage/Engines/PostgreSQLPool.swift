import Project

/// Transactions that wait for a connection, and the threads that run them.
///
/// Every thread has its own connection, so calls of libpq block no other thread. The thread that became idle last is used first,
/// so that under light load few connections are open and their statements are prepared.
final class PostgreSQLPool: Sendable {
    private let threads: JobThreads<@Sendable (PostgreSQLWorker) -> Void>
    private let callTime: Duration

    /// Starts the threads. Each connects when it gets its first transaction.
    init(address: PostgreSQLAddress, limits: PostgreSQLDatabase.Limits, figures: CommitFigures, outage: StoreOutage) {
        callTime = limits.callTime
        let turns = PostgreSQLTurns()
        let silence = PostgreSQLSilence()
        let rules = JobRules.storage(waiting: limits.waiting, patience: limits.waitingTime)
        threads = JobThreads(limits.connections, named: "postgresql", rules: rules) { post in
            let worker = PostgreSQLWorker(
                address: address,
                limits: limits,
                turns: turns,
                silence: silence,
                figures: figures,
                outage: outage
            )
            post.serve { run in run(worker) }
            worker.disconnect()
        }
    }

    /// How busy the connections are.
    var load: JobLoad { threads.load }

    /// Runs a body in a transaction.
    ///
    /// - Throws: ``StorageError/busy`` when too many transactions wait or one waits too long; `CancellationError` when it was
    ///   withdrawn.
    func submit<T: Sendable>(
        _ mode: PostgreSQLConnection.Mode,
        _ body: @escaping @Sendable (any Transaction) throws -> T
    ) async throws -> T {
        let time = PostgreSQLCallTime(patience: .current, limit: callTime)
        let (start, before) = (ContinuousClock.now, time.patience?.spent ?? .zero)
        do {
            return try await threads.submit(within: time.left) { (continuation: CheckedContinuation<T, any Error>) in
                let reply = PostgreSQLReply(continuation)
                return { worker in
                    time.count(since: start)
                    worker.run(mode, body, within: time, reply)
                }
            }
        } catch let error as StorageError where error.isLoggedAtSource {
            // Not every wait in vain was counted by itself.
            time.patience?.count(atLeast: before + (.now - start))
            throw error
        }
    }

    /// Refuses new transactions, waits for the accepted ones, and closes the connections.
    func close() async { await threads.close() }
}
