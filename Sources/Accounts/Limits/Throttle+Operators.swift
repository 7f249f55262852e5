import Project
import Storage

extension Throttle {
    /// Counts a try of an operator by password before it is checked: by network in an hour, and by address until one succeeds. It
    /// counts in development, too.
    ///
    /// A network from which the operator has signed in has a count of its own for the operator's address, and its hour does not count
    /// there: strangers in other networks cannot lock the operator out. Strangers in the same network can delay a sign-in by password, by
    /// an hour at most; a passkey, which cannot be guessed and is not counted, and sessions that are open go on to work.
    ///
    /// No more tries than the free number are checked at once. Beyond it a try waits (``inTurn(_:)``).
    ///
    /// - Returns: The attempt, for ``succeeded(_:)``, ``failed(_:)`` or ``abandoned(_:)``.
    /// - Throws: ``OperatorError/tooManyAttempts(retryAfterSeconds:)``; `CancellationError`.
    func operatorAttempt(email: String, address: String?, _ scope: Scope) async throws -> GuessAttempt {
        let network = ClientNetwork(address)
        let mark = Self.mark(network, email, scope)
        return try await counting { now, transaction in
            var attempt = GuessAttempt()
            attempt.mark = mark
            let known = try mark.flatMap { try transaction.throttle(scope, bucket: $0.name) }
            attempt.isUsual = known.map { $0.endsAt > now } ?? false
            if !attempt.isUsual { try attempt.count(.operators, of: network, scope, at: now, self, in: transaction) }
            let name = ThrottleBucket.operators(named: email, from: attempt.isUsual ? network : nil)
            try attempt.count(.operators, name, scope, at: now, in: transaction)
            return attempt
        }
    }

    /// Counts a try of an operator who is signed in and proves password and code again. Only who has the session's cookie can make
    /// one, so it is counted by session: the tries of strangers do not count here.
    ///
    /// No more tries than the free number are checked at once. Beyond it a try waits (``inTurn(_:)``).
    ///
    /// - Returns: The attempt, for ``succeeded(_:)``, ``failed(_:)`` or ``abandoned(_:)``.
    /// - Throws: ``OperatorError/tooManyAttempts(retryAfterSeconds:)``; `CancellationError`.
    func operatorAttempt(of current: ConsoleOperator, address: String?, _ scope: Scope) async throws -> GuessAttempt {
        let mark = Self.mark(ClientNetwork(address), current.email, scope)
        let name = ThrottleBucket.confirmations(ofSession: current.sessionHash)
        return try await counting { now, transaction in
            var attempt = GuessAttempt()
            attempt.mark = mark
            try attempt.count(.operators, name, scope, at: now, in: transaction)
            return attempt
        }
    }

    private static func mark(_ network: ClientNetwork, _ email: String, _ scope: Scope) -> GuessAttempt.Mark? {
        ThrottleBucket.usualForOperators(network, of: email).map { .init(scope: scope, name: $0, localID: nil) }
    }

    /// Counts what an operator does, in a transaction whose refusal is the console's.
    func counting<Value: Sendable>(
        _ body: @escaping @Sendable (Timestamp, Transaction) throws -> Value
    ) async throws -> Value {
        do {
            return try await inTurn {
                let now = environment.steadyNow()
                return try await database.write { try body(now, $0) }
            }
        } catch let error as APIError where error.limit != nil {
            throw OperatorError.tooManyAttempts(retryAfterSeconds: error.retryAfterSeconds ?? 1)
        }
    }
}
