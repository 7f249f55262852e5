import GRDB
import Synchronization

/// Group commit: the writes that wait run in one transaction, each in a savepoint of its own, with one flush to disk for all.
///
/// There is no timer: a batch is whatever queued up while the one before was being written. A body that throws rolls back
/// alone. Nobody is answered before the commit that holds their write.
final class WriteBatcher: Sendable {
    /// Runs the body of a write and returns how to answer its caller once the batch has ended.
    typealias Job = @Sendable (any Transaction) -> Answer

    /// What a body left behind.
    struct Answer: Sendable {
        /// Whether the body threw, so that its changes are to be undone.
        let failed: Bool
        /// Answers the caller; the error of the batch, if it has one, wins over a body's success.
        let deliver: @Sendable (StorageError?) -> Void
    }

    private struct State {
        var waiting: [Job] = []
        var isDraining = false
        var isClosed = false
    }

    // A batch's size bounds how long the first of it waits; the queue's bounds what an overload can pile up.
    private static let maximumBatch = 256
    private static let maximumWaiting = 10_000

    private let writer: any DatabaseWriter
    private let state = Mutex(State())

    init(writer: any DatabaseWriter) { self.writer = writer }

    /// Hands a write over.
    ///
    /// - Returns: What the body returned, once it is durable.
    /// - Throws: What the body threw; ``StorageError`` when the batch could not be committed, when the queue is full
    ///   (`busy`), and after ``close()``.
    func submit<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<T, any Error>) in
            enqueue { transaction in
                let result = Result { try body(transaction) }
                let failed = if case .failure = result { true } else { false }
                return Answer(failed: failed) { error in
                    // A body's own error stands whatever became of the batch; its caller is told the truth either way.
                    if let error, !failed { continuation.resume(throwing: error) } else { continuation.resume(with: result) }
                }
            } refuse: {
                continuation.resume(throwing: $0)
            }
        }
    }

    /// Takes no more writes, and waits for those that it took.
    func close() async {
        state.withLock { $0.isClosed = true }
        await withCheckedContinuation { continuation in
            writer.asyncWriteWithoutTransaction { _ in continuation.resume() }
        }
    }

    private func enqueue(_ job: @escaping Job, refuse: (StorageError) -> Void) {
        let outcome = state.withLock { state -> Result<Bool, StorageError> in
            if state.isClosed { return .failure(.closed) }
            if state.waiting.count >= Self.maximumWaiting { return .failure(.busy) }
            state.waiting.append(job)
            defer { state.isDraining = true }
            return .success(!state.isDraining)
        }
        switch outcome {
        case .failure(let error): refuse(error)
        case .success(true): writer.asyncWriteWithoutTransaction { self.drain($0) }
        case .success(false): break
        }
    }

    private func drain(_ connection: GRDB.Database) {
        while true {
            let batch = state.withLock { state -> [Job] in
                let batch = Array(state.waiting.prefix(Self.maximumBatch))
                state.waiting.removeFirst(batch.count)
                if batch.isEmpty { state.isDraining = false }
                return batch
            }
            if batch.isEmpty { return }
            run(batch, connection)
        }
    }

    private func run(_ batch: [Job], _ connection: GRDB.Database) {
        var answers: [Answer] = []
        var unanswered = batch[...]
        var failure: StorageError?
        do {
            try SQLiteError.translating {
                try connection.beginTransaction(.immediate)
                while let job = unanswered.popFirst() {
                    answers.append(try run(job, connection, alone: batch.count == 1))
                }
                if connection.isInsideTransaction { try connection.commit() }
            }
        } catch {
            failure = error as? StorageError ?? .other("\(error)")
            if connection.isInsideTransaction { try? connection.rollback() }
        }
        for answer in answers { answer.deliver(failure) }
        // A job that never ran is answered all the same; running it against a refusing transaction gives it its error.
        for job in unanswered { job(RefusingTransaction(error: failure ?? .busy)).deliver(failure) }
    }

    private func run(_ job: Job, _ connection: GRDB.Database, alone: Bool) throws -> Answer {
        let transaction = SQLiteTransaction(connection: connection)
        if alone {
            let answer = job(transaction)
            if answer.failed, connection.isInsideTransaction { try connection.rollback() }
            return answer
        }
        try connection.cachedStatement(sql: "SAVEPOINT job").execute()
        let answer = job(transaction)
        // Some failures (a full disk) make SQLite roll the whole transaction back: then nothing of the batch is left.
        guard connection.isInsideTransaction else {
            answer.deliver(.full)
            throw StorageError.full
        }
        if answer.failed { try connection.cachedStatement(sql: "ROLLBACK TO job").execute() }
        try connection.cachedStatement(sql: "RELEASE job").execute()
        return answer
    }
}

/// Answers every statement with the error for which the transaction could not begin.
private struct RefusingTransaction: Transaction {
    let error: StorageError

    func query(_ sql: SQL) throws -> [Row] { throw error }
    func execute(_ sql: SQL) throws -> Int { throw error }
}
