import CoreMetrics
import GRDB
import Logging
import Project

/// Group commit: the waiting writes run in one transaction, each in its own savepoint, with one flush to disk for all.
///
/// There is no timer: a batch contains the writes that were queued while the previous batch was written. A body that throws is
/// rolled back alone. Results are delivered only after the commit. If the commit fails, all writes of the batch get its error,
/// also those that refused, because a refusal may depend on another write of the batch. Foreign keys are checked at once and not
/// at the commit.
final class WriteBatcher: Sendable {
    /// The limits of a batch and of the queue.
    struct Limits: Sendable {
        /// The largest batch. It bounds how long the first write of a batch waits for the last one.
        var batch = 256
        /// How many writes may wait besides the first of a batch. Further ones are refused as `busy`.
        var waiting = 10_000
    }

    /// Runs the body, and keeps its result until the batch is committed.
    private typealias Write = @Sendable (SQLiteTransaction) -> Answer

    private struct Answer: Sendable {
        let hasFailed: Bool
        let deliver: @Sendable () -> Void
    }

    private let writer: DatabaseQueue
    private let limits: Limits
    private let figures: CommitFigures
    private let logger: Logger
    private let queue: JobQueue<Write>

    /// - Parameter writer: The only connection that writes. Batches run on its dispatch queue.
    init(
        writer: DatabaseQueue,
        limits: Limits = Limits(),
        logger: Logger,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) {
        self.writer = writer
        figures = CommitFigures(metrics)
        self.limits = limits
        self.logger = logger
        queue = JobQueue(workers: 1, rules: .storage(waiting: limits.waiting))
    }

    /// Whether a batch is written, and how many writes wait for the next one.
    var load: JobLoad { queue.load }

    /// Submits a write. Cancelling the task withdraws it while it waits.
    ///
    /// - Returns: It comes once it is durable.
    func submit<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
        try await queue.submit(waking: scheduleBatch) { (continuation: CheckedContinuation<T, any Error>) in
            { transaction in
                let result = transaction.run(body)
                let hasFailed = if case .failure = result { true } else { false }
                return Answer(hasFailed: hasFailed) { continuation.resume(with: result) }
            }
        }
    }

    /// Refuses new writes, and waits for the accepted ones.
    func close() async { await queue.close(waking: scheduleBatch) }

    private func scheduleBatch(of worker: Int) {
        writer.asyncWriteWithoutTransaction { connection in
            while true {
                switch self.queue.next(upTo: self.limits.batch, for: worker) {
                case .work(let batch): self.run(batch, on: connection)
                case .rest: return
                case .end: return self.queue.leave()
                }
            }
        }
    }

    private func run(_ batch: [JobQueue<Write>.Job], on connection: GRDB.Database) {
        do {
            let answers = try commit(batch, on: connection)
            for answer in answers { answer.deliver() }
        } catch {
            if connection.isInsideTransaction { try? connection.rollback() }
            // An outage fails every batch. ``StoreHealth`` tells of it once.
            logger.debug("a batch of writes failed", metadata: ["writes": "\(batch.count)", "error": "\(error.plainText)"])
            for job in batch { job.refuse(error) }
        }
    }

    private func commit(_ batch: [JobQueue<Write>.Job], on connection: GRDB.Database) throws(StorageError) -> [Answer] {
        try control("BEGIN IMMEDIATE", on: connection)
        var (answers, endedSessions) = ([Answer](), 0)
        answers.reserveCapacity(batch.count)
        for job in batch {
            // A single write needs no savepoint, because the transaction itself can be rolled back.
            let isAlone = batch.count == 1
            if !isAlone { try control("SAVEPOINT job", on: connection) }
            let transaction = SQLiteTransaction(connection: connection, isReadOnly: false)
            let answer = job.work(transaction)
            answers.append(answer)
            if !answer.hasFailed { endedSessions += transaction.endedSessions }
            // A full disk and similar errors make SQLite roll back the whole transaction, with the other writes of the batch.
            guard connection.isInsideTransaction else {
                throw transaction.failure ?? .other("a write ended the transaction of its batch")
            }
            if isAlone {
                if answer.hasFailed {
                    try control("ROLLBACK", on: connection)
                } else {
                    try end(batch, endedSessions, on: connection)
                }
                return answers
            }
            if answer.hasFailed { try control("ROLLBACK TO job", on: connection) }
            try control("RELEASE job", on: connection)
        }
        try end(batch, endedSessions, on: connection)
        return answers
    }

    private func end(
        _ batch: [JobQueue<Write>.Job],
        _ endedSessions: Int,
        on connection: GRDB.Database
    ) throws(StorageError) {
        try figures.measure(writes: batch.count, endedSessions: endedSessions) { () throws(StorageError) in
            try control("COMMIT", on: connection)
        }
    }

    private func control(_ text: String, on connection: GRDB.Database) throws(StorageError) {
        do {
            try connection.control(text)
        } catch {
            throw error as? StorageError ?? .other("SQLite: \(text) failed")
        }
    }
}
