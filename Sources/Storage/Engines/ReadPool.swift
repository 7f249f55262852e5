import GRDB
import Project

/// Runs read transactions on a fixed set of connections, each on its own dispatch queue.
///
/// A connection that has finished a read takes the next waiting one at once, so that under load no read pays for waking a thread.
final class ReadPool: Sendable {
    private let connections: [DatabaseQueue]
    private let queue: JobQueue<@Sendable (GRDB.Database) -> Void>

    /// - Parameters:
    ///   - connections: Nothing else reads through them.
    ///   - maximumWaiting: How many reads may wait besides those for which a connection is free. Further ones are refused as
    ///     `busy`.
    init(connections: [DatabaseQueue], maximumWaiting: Int = 10_000) {
        self.connections = connections
        queue = JobQueue(workers: connections.count, rules: .storage(waiting: maximumWaiting))
    }

    /// How busy the connections are.
    var load: JobLoad { queue.load }

    /// Runs a body in a read transaction.
    func submit<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
        try await queue.submit(waking: serve) { (continuation: CheckedContinuation<T, any Error>) in
            { continuation.resume(with: Self.transaction(on: $0, body)) }
        }
    }

    /// Refuses new reads, and waits for the accepted ones.
    func close() async { await queue.close(waking: serve) }

    private func serve(with number: Int) {
        connections[number].asyncWriteWithoutTransaction { connection in
            while true {
                switch self.queue.next(for: number) {
                case .work(let job): job.work(connection)
                case .rest: return
                case .end: return self.queue.leave()
                }
            }
        }
    }

    private static func transaction<T>(
        on connection: GRDB.Database,
        _ body: (Transaction) throws -> T
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
