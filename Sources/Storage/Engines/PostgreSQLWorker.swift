import Foundation

/// Runs transactions one after the other on its own connection, and reconnects after a loss. Used by one thread.
final class PostgreSQLWorker {
    /// What all workers of a pool have in common.
    struct Shared: Sendable {
        let address: PostgreSQLAddress
        let limits: PostgreSQLDatabase.Limits
        let figures: CommitFigures
        let health: StoreHealth
        let conflicts = ConflictSerializer()
        let liveness = LivenessTracker()
    }

    private let shared: Shared
    private var connection: PostgreSQLConnection?

    init(_ shared: Shared) { self.shared = shared }

    /// Runs a body in a transaction, and repeats it if that is safe and may help.
    ///
    /// - Parameter reply: Receives the result: of a read at once, of a write after the commit.
    func run<T>(
        _ mode: PostgreSQLConnection.Mode,
        _ body: (Transaction) throws -> T,
        until ends: Deadline.Ends?,
        _ reply: PostgreSQLReply<T>
    ) {
        var tries = Tries(limits: shared.limits, ends: ends)
        var hasTurn = false
        defer { if hasTurn { shared.conflicts.give() } }
        while true {
            do {
                let connection = try connected(for: reply, until: ends)
                // A call that was refused meanwhile leaves the connection to the next one.
                guard reply.begin() else { return }
                reply.give(try attempt(mode, body, on: connection, until: ends))
                return
            } catch {
                if case .lost(let reason) = error { shared.health.lostConnection(reason) }
                if let start = connection?.silentSince { shared.liveness.noteSilence(since: start) }
                switch tries.next(after: error, seed: connection?.serverProcessID ?? 0) {
                case .giveUp:
                    forget(after: error)
                    reply.give(.failure(error.storageError))
                    return
                case .again(let pause):
                    forget(after: error)
                    if pause > .zero { Thread.sleep(forTimeInterval: pause / .seconds(1)) }
                case .inTurn(let patience):
                    if !hasTurn { hasTurn = shared.conflicts.take(patience: patience) }
                    if !hasTurn {
                        reply.give(.failure(error.storageError))
                        return
                    }
                }
                reply.runAgain()
            }
        }
    }

    /// Closes the connection.
    func disconnect() { connection = nil }

    private func attempt<T>(
        _ mode: PostgreSQLConnection.Mode,
        _ body: (Transaction) throws -> T,
        on connection: PostgreSQLConnection,
        until ends: Deadline.Ends?
    ) throws(PostgreSQLFailure) -> Result<T, any Error> {
        connection.begin(mode, until: ends?.last)
        let transaction = PostgreSQLTransaction(connection: connection)
        let result = Result { try body(Transaction(engine: .postgreSQL(transaction))) }
        if let failure = transaction.failure {
            connection.endWithoutWaiting("ROLLBACK")
            throw mode == .write ? failure.ofWriter : failure
        }
        switch (result, mode) {
        case (.failure, _): connection.endWithoutWaiting("ROLLBACK")
        case (.success, .read): connection.endWithoutWaiting("COMMIT")
        case (.success, .write):
            guard ends.map({ .now < $0.lastCommit }) ?? true else {
                connection.endWithoutWaiting("ROLLBACK")
                throw .late
            }
            try shared.figures.measure(writes: 1, endedSessions: transaction.endedSessions) { () throws(PostgreSQLFailure) in
                try connection.commit()
            }
        }
        return result
    }

    private func connected<T>(
        for reply: PostgreSQLReply<T>,
        until ends: Deadline.Ends?
    ) throws(PostgreSQLFailure) -> PostgreSQLConnection {
        if let connection, shared.liveness.vouches(for: connection) { return connection }
        connection = nil
        if let ends { reply.refuse(at: ends.last) }
        do {
            let opened = try PostgreSQLConnection(to: shared.address, timeouts: shared.limits.timeouts)
            connection = opened
            return opened
        } catch {
            // A call that was refused meanwhile does not learn the reason, so it is logged here.
            if reply.isGiven { shared.health.lostConnection(error.reason) }
            // A new try at once would fail the same way. The caller may try again later.
            throw .refused(error.storageError)
        }
    }

    private func forget(after failure: PostgreSQLFailure) {
        switch failure {
        case .lost, .silent, .unknown: connection = nil
        case .staleStatement: connection?.startStatementsAnew()
        case .refused, .conflict, .locked, .late: break
        }
    }
}
