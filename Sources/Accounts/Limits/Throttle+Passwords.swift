import Passwords
package import Project
import Settings
import Storage
import Tokens

extension Throttle {
    /// Counts a password before it is checked, as if it were wrong, so that parallel guesses gain nothing over guesses in turn.
    /// The caller must not check first whether the account exists.
    ///
    /// A network that has signed in to the account before has a count of its own, so that strangers cannot lock the owner out.
    ///
    /// No more passwords than the free number are checked at once. Beyond it a try waits (``inTurn(_:)``).
    ///
    /// - Returns: The attempt, for ``succeeded(_:)``, ``failed(_:)`` or ``abandoned(_:)``.
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`, with the seconds until the next try; `CancellationError`.
    package func passwordAttempt(email: String, context: CallContext) async throws -> GuessAttempt {
        guard isOn else { return GuessAttempt() }
        return try await inTurn { try await countTry(email, context) }
    }

    private func countTry(_ email: String, _ context: CallContext) async throws -> GuessAttempt {
        let (now, scope, network) = (environment.steadyNow(), context.scope, ClientNetwork(context.address))
        let limit = GuessLimit.passwords(free: limits.password.failuresPerAccount)
        return try await database.write { transaction in
            var attempt = GuessAttempt()
            attempt.isUsual = try transaction.account(of: email, forWhichIsUsual: network, scope, at: now) != nil
            let bucket = ThrottleBucket.passwords(of: email, from: attempt.isUsual ? network : nil)
            try attempt.count(limit, bucket, scope, at: now, in: transaction)
            // The network is counted over all tenants together.
            try attempt.count(.passwords, of: network, scope.project, at: now, self, in: transaction)
            return attempt
        }
    }

    /// Counts a password that a user adds to an account or sets by a code, before it is hashed: a hash costs the same whether the change
    /// comes about or not (threat case RES-07). Administrators are not limited.
    ///
    /// A password that a recent sign-in replaces is not counted, because a thief in another session or in the same network must not keep
    /// the owner from that. The client's share of the hashing queue bounds its work.
    ///
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`.
    func newPassword(by token: VerifiedIDToken?, context: CallContext) async throws {
        guard isOn, !context.isPrivileged else { return }
        let (time, network) = (environment.steadyNow(), ClientNetwork(context.address))
        let now = environment.steady(time)
        try await database.write { [self] transaction throws in
            if let token { try count(additionTo: token.localID, by: token, context: context, at: time, in: transaction) }
            try transaction.count(.newPasswords, of: network, context.scope.project, at: now, limits)
        }
    }

    /// The client whose share of the hashing queue a call takes; `nil` for administrators, and where nothing is limited. Clients
    /// whose address is unknown are one.
    ///
    /// - Parameter attempt: The attempt, if a password is checked: it knows whether the network is usual for the account.
    func share(of context: CallContext, for attempt: GuessAttempt? = nil) -> HashingClient? {
        guard isOn, !context.isPrivileged else { return nil }
        return ClientNetwork(context.address).hashingClient(isUsual: attempt?.isUsual == true)
    }

    /// Remembers the network of a sign-in that its user has proven in full: it is usual for the account for 90 days.
    func remember(_ context: CallContext, of localID: String, at time: Timestamp, in transaction: Transaction) throws {
        guard isOn, let usual = AccountBucket.usual(ClientNetwork(context.address), of: localID) else { return }
        _ = try transaction.countThrottle(
            context.scope,
            bucket: usual,
            at: environment.steady(time),
            window: .sliding(Self.usualNetworkStays)
        )
    }
}

extension Transaction {
    /// Forgets wrong passwords in a row after the owner has proven the mailbox, including those counted for the network of the
    /// call.
    func forgetPasswordFailures(of email: String, context: CallContext) throws {
        for network in [nil, ClientNetwork(context.address)] {
            try resetThrottle(context.scope, bucket: ThrottleBucket.passwords(of: email, from: network))
        }
    }

    /// The account of an address, if the network has signed in to it in the last 90 days.
    ///
    /// Usual networks belong to the account, not to the e-mail, so an earlier owner of the e-mail leaves none behind.
    func account(
        of email: String,
        forWhichIsUsual network: ClientNetwork,
        _ scope: Scope,
        at now: Timestamp
    ) throws -> AccountRecord? {
        guard let canonical = EmailAddress.canonical(email), let account = try account(scope, email: canonical),
            try isMarked(.usual(network, of: account.localID), scope, at: now)
        else { return nil }
        return account
    }
}

extension ClientNetwork {
    /// The client of the hashing queue, within the widest of its networks.
    func hashingClient(isUsual: Bool = false) -> HashingClient {
        HashingClient(text, within: widest?.text, isUsual: isUsual)
    }
}
