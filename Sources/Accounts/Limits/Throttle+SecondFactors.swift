import Project
import Storage

extension Throttle {
    /// Counts a code before it is checked, in a transaction of its own, so that parallel guesses in many sessions and on many
    /// nodes gain nothing over guesses in turn, and no failure undoes the count (threat case MFA-04).
    ///
    /// A network from which the account's second factor was once proven has a count of its own, so that a thief of the first
    /// factor cannot lock the owner out. A right password does not reset these counts (threat case MFA-08).
    ///
    /// No more codes than the free number are checked at once. Beyond it a try waits (``inTurn(_:)``).
    ///
    /// - Returns: The attempt, for ``succeeded(_:)``, ``failed(_:)`` or ``abandoned(_:)``.
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`, with the seconds until the next try; `CancellationError`.
    func secondFactorAttempt(localID: String, context: CallContext) async throws -> GuessAttempt {
        guard isOn else { return GuessAttempt() }
        return try await inTurn { try await countTry(ofFactorOf: localID, context) }
    }

    private func countTry(ofFactorOf localID: String, _ context: CallContext) async throws -> GuessAttempt {
        let (now, scope, network) = (environment.steadyNow(), context.scope, ClientNetwork(context.address))
        let usual = AccountBucket.usualForSecondFactors(network, of: localID)
        return try await database.write { transaction in
            var attempt = GuessAttempt()
            attempt.mark = usual.map { .init(scope: scope, name: $0.name, localID: localID) }
            attempt.isUsual = try transaction.isMarked(usual, scope, at: now)
            let bucket = AccountBucket.secondFactors(of: localID, from: attempt.isUsual ? network : nil)
            try attempt.count(.secondFactors, bucket.name, of: localID, scope, at: now, in: transaction)
            return attempt
        }
    }
}
