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
    /// - Parameters:
    ///   - mode: The kind of transaction.
    ///   - body: The transaction.
    ///   - deliver: Receives the result: of a read at once, of a write after the commit.
    func run<T>(
        _ mode: PostgreSQLConnection.Mode,
        _ body: (any Transaction) throws -> T,
        deliver: (Result<T, any Error>) -> Void
    ) {
        var tries = Tries(limits: limits)
        var hasTurn = false
        defer { if hasTurn { turns.give() } }
        while true {
            do {
                deliver(try attempt(mode, body))
                return
            } catch {
                if case .lost(let reason) = error { outage.lostConnection(reason) }
                if let start = connection?.silentSince { silence.note(since: start) }
                switch tries.next(after: error, seed: connection?.serverProcessID ?? 0) {
                case .giveUp:
                    forget(after: error)
                    deliver(.failure(error.storageError))
                    return
                case .again(let pause):
                    forget(after: error)
                    if pause > .zero { Thread.sleep(forTimeInterval: pause / .seconds(1)) }
                case .inTurn(let patience):
                    if !hasTurn { hasTurn = turns.take(patience: patience) }
                    if !hasTurn {
                        deliver(.failure(error.storageError))
                        return
                    }
                }
            }
        }
    }

    /// Closes the connection.
    func disconnect() { connection = nil }

    private func attempt<T>(
        _ mode: PostgreSQLConnection.Mode,
        _ body: (any Transaction) throws -> T
    ) throws(PostgreSQLFailure) -> Result<T, any Error> {
        let connection = try connected()
        connection.begin(mode)
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
            try figures.measure(writes: 1, endedSessions: transaction.endedSessions) { () throws(PostgreSQLFailure) in
                try connection.commit()
            }
        }
        return result
    }

    private func connected() throws(PostgreSQLFailure) -> PostgreSQLConnection {
        if let connection, !silence.affects(connection) { return connection }
        connection = nil
        do {
            let opened = try PostgreSQLConnection(to: address, timeouts: limits.timeouts)
            connection = opened
            return opened
        } catch {
            // A new try at once would fail the same way. The caller may try again later.
            throw .refused(error.storageError)
        }
    }

    private func forget(after failure: PostgreSQLFailure) {
        switch failure {
        case .lost, .silent, .unknown: connection = nil
        case .staleStatement: connection?.startStatementsAnew()
        case .refused, .conflict, .locked: break
        }
    }
}
