import Foundation

/// Runs transactions one after the other on its own connection, and reconnects after a loss. Used by one thread.
final class PostgreSQLWorker {
    private let address: PostgreSQLAddress
    private let limits: PostgreSQLDatabase.Limits
    private let turns: PostgreSQLTurns
    private let silence: PostgreSQLSilence
    private let outage: StoreOutage
    private let figures: CommitFigures
    private var connection: PostgreSQLConnection?

    init(
        address: PostgreSQLAddress,
        limits: PostgreSQLDatabase.Limits,
        turns: PostgreSQLTurns,
        silence: PostgreSQLSilence,
        figures: CommitFigures,
        outage: StoreOutage
    ) {
        self.figures = figures
        self.address = address
        self.limits = limits
        self.turns = turns
        self.silence = silence
        self.outage = outage
    }

    /// Runs a body in a transaction, and repeats it if that is safe and may help.
    ///
    /// - Parameter reply: Receives the result: of a read at once, of a write after the commit.
    func run<T>(
        _ mode: PostgreSQLConnection.Mode,
        _ body: (any Transaction) throws -> T,
        within time: PostgreSQLCallTime,
        _ reply: PostgreSQLReply<T>
    ) {
        var tries = Tries(limits: limits, time: time)
        var hasTurn = false
        defer { if hasTurn { turns.give() } }
        while true {
            do {
                let connection = try connected(for: reply, within: time)
                // A call that was refused meanwhile leaves the connection to the next one.
                guard reply.begin() else { return }
                reply.give(try attempt(mode, body, on: connection, within: time))
                return
            } catch {
                if case .lost(let reason) = error { outage.lostConnection(reason) }
                if let start = connection?.silentSince { silence.note(since: start) }
                switch tries.next(after: error, seed: connection?.serverProcessID ?? 0) {
                case .giveUp:
                    forget(after: error)
                    reply.give(.failure(error.storageError))
                    return
                case .again(let pause):
                    forget(after: error)
                    if pause > .zero { Thread.sleep(forTimeInterval: pause / .seconds(1)) }
                case .inTurn(let patience):
                    let start = ContinuousClock.now
                    if !hasTurn { hasTurn = turns.take(patience: patience) }
                    time.count(since: start)
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
        _ body: (any Transaction) throws -> T,
        on connection: PostgreSQLConnection,
        within time: PostgreSQLCallTime
    ) throws(PostgreSQLFailure) -> Result<T, any Error> {
        connection.begin(mode, within: time)
        let transaction = PostgreSQLTransaction(connection: connection)
        let result = Result { try body(transaction) }
        if let failure = transaction.failure {
            connection.endWithoutWaiting("ROLLBACK")
            throw mode == .write ? failure.ofWriter : failure
        }
        switch (result, mode) {
        case (.failure, _): connection.endWithoutWaiting("ROLLBACK")
        case (.success, .read): connection.endWithoutWaiting("COMMIT")
        case (.success, .write):
            guard time.isEnoughToCommit else {
                connection.endWithoutWaiting("ROLLBACK")
                throw .late
            }
            try figures.measure(writes: 1, endedSessions: transaction.endedSessions) { () throws(PostgreSQLFailure) in
                try connection.commit()
            }
        }
        return result
    }

    private func connected<T>(
        for reply: PostgreSQLReply<T>,
        within time: PostgreSQLCallTime
    ) throws(PostgreSQLFailure) -> PostgreSQLConnection {
        if let connection, !silence.affects(connection) { return connection }
        connection = nil
        if let left = time.left { reply.refuse(after: left) }
        let start = ContinuousClock.now
        defer { time.count(since: start) }
        do {
            let opened = try PostgreSQLConnection(to: address, timeouts: limits.timeouts)
            connection = opened
            return opened
        } catch {
            // A call that was refused meanwhile does not learn the reason, so it is logged here.
            if reply.isGiven { outage.lostConnection(error.reason) }
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
