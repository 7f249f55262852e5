import Passwords
package import Project
import Storage

/// A password that is about to be checked and has been counted as wrong.
package struct PasswordAttempt: Sendable {
    /// `nil` when nothing is throttled.
    fileprivate let counted: Counted?

    fileprivate struct Counted: Sendable {
        let scope: Scope
        let network: ClientNetwork
        /// Whether the network is usual for the account.
        let isUsual: Bool
        let account: CountedBucket
        /// By the network and the wider ones.
        let networks: [CountedBucket]
    }
}

extension Throttle {
    /// Failures in a row are forgotten after a week without any. By then a guesser has no advantage over one guess an hour.
    static let failuresStay = Duration.seconds(86_400 * 7)
    /// How long a network stays usual for an account after a sign-in from it.
    static let usualNetworkStays = Duration.seconds(86_400 * 90)

    /// Counts a password before it is checked, as if it were wrong, so that parallel guesses gain nothing over guesses in turn.
    /// The caller must not check first whether the account exists.
    ///
    /// A network that has signed in to the account before has a count of its own, so that strangers cannot lock the owner out.
    ///
    /// - Parameters:
    ///   - email: The address as sent; it need not have an account.
    ///   - context: The call.
    /// - Returns: The attempt, for ``succeeded(_:localID:)`` or ``abandoned(_:)``; a wrong password needs neither.
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`, with the seconds until the next try; `StorageError`.
    package func passwordAttempt(email: String, context: CallContext) async throws -> PasswordAttempt {
        guard isOn else { return PasswordAttempt(counted: nil) }
        let (now, limits, scope) = (environment.steadyNow(), limits, context.scope)
        let network = ClientNetwork(context.address)
        let counted = try await database.write { transaction in
            let isUsual = try transaction.account(of: email, forWhichIsUsual: network, scope, at: now) != nil
            let account = ThrottleBucket.passwords(of: email, from: isUsual ? network : nil)
            let failures = try transaction.countThrottle(scope, bucket: account, at: now, window: .sliding(Self.failuresStay))
            if let end = failures.block(at: now, atMost: PasswordDelay.longest) {
                throw ThrottledEvent.passwords.refusal(until: end, at: now)
            }
            if let delay = PasswordDelay.after(failures.count, free: limits.passwordFailuresPerAccount) {
                try transaction.blockThrottle(scope, bucket: account, until: now.advanced(by: delay))
            }
            // The network is counted over all tenants together.
            let tries = try transaction.countHour(
                scope.project,
                ThrottleBucket.passwords(from:),
                of: network,
                at: now,
                limit: limits.passwordFailuresPerAddressPerHour,
                .passwords
            )
            return PasswordAttempt.Counted(
                scope: scope,
                network: network,
                isUsual: isUsual,
                account: CountedBucket(name: account, endsAt: failures.endsAt),
                networks: tries
            )
        }
        return PasswordAttempt(counted: counted)
    }

    /// Counts a password that a user sets, before it is hashed: a hash costs the same whether the change comes about or not
    /// (threat case RES-07). Administrators are not limited.
    ///
    /// - Parameters:
    ///   - localID: The account, of which it counts as a change; `nil` for the account of a code.
    ///   - context: The call, in the scope of the account.
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`; `StorageError`.
    func newPassword(of localID: String?, context: CallContext) async throws {
        guard isOn, !context.isPrivileged else { return }
        let (now, limit) = (environment.steadyNow(), limits.passwordFailuresPerAddressPerHour)
        let network = ClientNetwork(context.address)
        try await database.write { transaction throws in
            if let localID { try count(changeOf: localID, context: context, at: now, in: transaction) }
            _ = try transaction.countHour(
                context.scope.project,
                ThrottleBucket.newPasswords(from:),
                of: network,
                at: now,
                limit: limit,
                .newPasswords
            )
        }
    }

    /// The client whose share of the hashing queue a call takes; `nil` for administrators, and where nothing is limited. Clients
    /// whose address is unknown are one.
    ///
    /// - Parameters:
    ///   - context: The call.
    ///   - attempt: The attempt, if a password is checked: it knows whether the network is usual for the account.
    /// - Returns: The client.
    func share(of context: CallContext, for attempt: PasswordAttempt? = nil) -> HashingClient? {
        guard isOn, !context.isPrivileged else { return nil }
        return ClientNetwork(context.address).hashingClient(isUsual: attempt?.counted?.isUsual == true)
    }

    /// Reports a right password: the failures in the attempt's count are forgotten, the counts of the network and the wider ones are
    /// reduced by this one try, and the network is usual for the account for 90 days.
    ///
    /// - Parameters:
    ///   - attempt: The attempt.
    ///   - localID: The account.
    /// - Throws: `StorageError`.
    package func succeeded(_ attempt: PasswordAttempt, localID: String) async throws {
        guard let counted = attempt.counted else { return }
        let now = environment.steadyNow()
        try await database.write { transaction throws in
            try transaction.resetThrottle(counted.scope, bucket: counted.account.name)
            try transaction.takeBack(counted.networks, counted.scope.project)
            try transaction.remember(counted.network, of: localID, counted.scope, at: now)
        }
    }

    /// Reports a sign-in by e-mail link: the network is usual for the account for 90 days, as after a right password.
    ///
    /// - Parameters:
    ///   - localID: The account.
    ///   - context: The call, in the scope of the account.
    /// - Throws: `StorageError`.
    package func showedLink(localID: String, context: CallContext) async throws {
        guard isOn else { return }
        let now = environment.steadyNow()
        let network = ClientNetwork(context.address)
        try await database.write { try $0.remember(network, of: localID, context.scope, at: now) }
    }

    /// Reports a password that was not checked because the server was overloaded: the count is undone. A delay that it began
    /// stays.
    ///
    /// - Parameter attempt: The attempt.
    /// - Throws: `StorageError`.
    package func abandoned(_ attempt: PasswordAttempt) async throws {
        guard let counted = attempt.counted else { return }
        try await database.write { transaction throws in
            try transaction.takeBack([counted.account], counted.scope)
            try transaction.takeBack(counted.networks, counted.scope.project)
        }
    }
}

extension Transaction {
    /// Forgets wrong passwords in a row after the owner has proven the mailbox, including those counted for the network of the
    /// call.
    ///
    /// - Throws: `StorageError`.
    func forgetPasswordFailures(of email: String, context: CallContext) throws {
        for network in [nil, ClientNetwork(context.address)] {
            try resetThrottle(context.scope, bucket: ThrottleBucket.passwords(of: email, from: network))
        }
    }

    fileprivate func remember(_ network: ClientNetwork, of localID: String, _ scope: Scope, at now: Timestamp) throws {
        guard let usual = ThrottleBucket.usual(network, of: localID) else { return }
        _ = try countThrottle(scope, bucket: usual, at: now, window: .sliding(Throttle.usualNetworkStays))
    }

    /// The account of an address, if the network has signed in to it in the last 90 days.
    ///
    /// Usual networks belong to the account, not to the e-mail, so an earlier owner of the e-mail leaves none behind.
    ///
    /// - Throws: `StorageError`.
    func account(
        of email: String,
        forWhichIsUsual network: ClientNetwork,
        _ scope: Scope,
        at now: Timestamp
    ) throws -> AccountRecord? {
        guard let canonical = EmailAddress.canonical(email), let account = try account(scope, email: canonical),
            let bucket = ThrottleBucket.usual(network, of: account.localID),
            let usual = try throttle(scope, bucket: bucket), usual.endsAt > now
        else { return nil }
        return account
    }
}

extension ClientNetwork {
    /// The client of the hashing queue, within the widest of its networks.
    func hashingClient(isUsual: Bool = false) -> HashingClient {
        HashingClient(text, within: wider.last?.network.text, isUsual: isUsual)
    }
}

/// The wait after wrong passwords in a row.
enum PasswordDelay {
    /// From this number on, one try an hour is allowed (NIST SP 800-63B-4 §3.2.2: no more than 100 in a row).
    static let mostInARow = 100
    /// The longest wait.
    static let longest = Duration.seconds(3600)

    /// The wait doubles from one second to fifteen minutes.
    ///
    /// - Parameters:
    ///   - failures: The number of wrong passwords in a row.
    ///   - free: The number of failures at which delays begin.
    /// - Returns: The delay before the next try; `nil` for none.
    static func after(_ failures: Int64, free: Int) -> Duration? {
        if failures >= mostInARow { return longest }
        guard failures >= free else { return nil }
        return .seconds(min(1 << min(failures - Int64(free), 10), 900))
    }
}
