import CoreMetrics
import GRDB
import Project

/// Runs the transactions of a database in memory, all on its one connection.
///
/// They need no disk and take less time than waking a thread. A caller that finds the connection free therefore runs its transaction
/// itself; one that finds it taken waits in line, and the connection's own queue runs what waits.
final class SoloConnection: Sendable {
    private let connection: DatabaseQueue
    private let figures: CommitFigures
    private let queue: JobQueue<@Sendable (GRDB.Database) -> Void>

    // Writes and reads together.
    private static let maximumWaiting = 20_000

    /// - Parameter connection: Nothing else uses it.
    init(connection: DatabaseQueue, metrics: any MetricsFactory = NOOPMetricsHandler.instance) {
        self.connection = connection
        figures = CommitFigures(metrics)
        queue = JobQueue(workers: 1, rules: .storage(waiting: Self.maximumWaiting))
    }

    /// Whether the connection has a transaction, and how many wait.
    var load: JobLoad { queue.load }

    /// Runs a body as one transaction.
    func submit<T: Sendable>(
        isReadOnly: Bool,
        _ body: @escaping @Sendable (Transaction) throws -> T
    ) async throws -> T {
        if let worker = queue.tryAcquire() {
            defer { if queue.release(worker) { serve(worker) } }
            return try runHere(body, isReadOnly: isReadOnly).get()
        }
        return try await queue.submit(waking: serve) { (continuation: CheckedContinuation<T, any Error>) in
            { continuation.resume(with: self.run(body, isReadOnly: isReadOnly, on: $0)) }
        }
    }

    // Not asynchronous, because GRDB would otherwise run the body on another thread.
    private func runHere<T>(_ body: (Transaction) throws -> T, isReadOnly: Bool) -> Result<T, any Error> {
        connection.writeWithoutTransaction { run(body, isReadOnly: isReadOnly, on: $0) }
    }

    /// Refuses new transactions, and waits for the accepted ones.
    func close() async { await queue.close(waking: serve) }

    private func serve(_ worker: Int) {
        connection.asyncWriteWithoutTransaction { connection in
            while true {
                switch self.queue.next(for: worker) {
                case .work(let job): job.work(connection)
                case .rest: return
                case .end: return self.queue.leave()
                }
            }
        }
    }

    private func run<T>(
        _ body: (Transaction) throws -> T,
        isReadOnly: Bool,
        on connection: GRDB.Database
    ) -> Result<T, any Error> {
        let transaction = SQLiteTransaction(connection: connection, isReadOnly: isReadOnly)
        // Nothing else can write in between, so reads need no snapshot.
        if isReadOnly { return transaction.run(body) }
        do {
            try connection.control("BEGIN IMMEDIATE")
            let result = transaction.run(body)
            if case .success = result {
                try connection.control("COMMIT")
                figures.count(endedSessions: transaction.endedSessions)
            }
            if connection.isInsideTransaction { try connection.control("ROLLBACK") }
            return result
        } catch {
            if connection.isInsideTransaction { try? connection.rollback() }
            return .failure(error)
        }
    }
}
