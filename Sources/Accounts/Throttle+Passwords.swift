import Project
import Storage

/// A password that is about to be checked, and has been counted as a wrong one.
package struct PasswordAttempt: Sendable {
    /// `nil` where nothing is throttled.
    fileprivate let counted: Counted?

    fileprivate struct Counted: Sendable {
        let scope: Scope
        let network: ClientNetwork
        let account: Bucket
        let address: Bucket
    }

    fileprivate struct Bucket: Sendable {
        let name: String
        let endsAt: Timestamp
    }
}

extension Throttle {
    /// Failures in a row are forgotten after a week without any; longer pauses than that gain a guesser nothing over one an hour.
    static let failuresStay = Duration.seconds(86_400 * 7)
    /// How long a network from which somebody has signed in is one of the account's own.
    static let usualNetworkStays = Duration.seconds(86_400 * 90)

    /// Counts a password before it is checked, as if it were wrong, so that guesses in parallel get no further than guesses in
    /// turn. To be called before it is known whether the account exists.
    ///
    /// An address that has signed in to the account before counts by itself: strangers cannot lock the account's owner out.
    ///
    /// - Parameters:
    ///   - email: What was sent; it need not have an account.
    ///   - context: The call.
    /// - Returns: What to hand to ``succeeded(_:localID:)`` or ``abandoned(_:)``; a wrong password needs neither.
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`, with the seconds until the next try; `StorageError`.
    package func passwordAttempt(email: String, context: CallContext) async throws -> PasswordAttempt {
        guard isOn else { return PasswordAttempt(counted: nil) }
        let (now, limits, scope) = (environment.now(), limits, context.scope)
        let network = ClientNetwork(context.address)
        let counted = try await database.write { transaction in
            let isUsual = try transaction.account(of: email, forWhichIsUsual: network, scope, at: now) != nil
            let account = ThrottleBucket.passwords(of: email, from: isUsual ? network : nil)
            let failures = try transaction.countThrottle(scope, bucket: account, at: now, window: .sliding(Self.failuresStay))
            guard failures.blockedUntil <= now else {
                throw ThrottledEvent.passwords.refusal(until: failures.blockedUntil, at: now)
            }
            if let delay = PasswordDelay.after(failures.count, free: limits.passwordFailuresPerAccount) {
                try transaction.blockThrottle(scope, bucket: account, until: now.advanced(by: delay))
            }
            let address = ThrottleBucket.passwords(from: network)
            let limit = limits.passwordFailuresPerAddressPerHour
            // A network that tries one tenant after the other is one network.
            let tries = try transaction.countHour(scope.project, address, at: now, limit: limit, .passwords)
            return PasswordAttempt.Counted(
                scope: scope,
                network: network,
                account: .init(name: account, endsAt: failures.endsAt),
                address: .init(name: address, endsAt: tries.endsAt)
            )
        }
        return PasswordAttempt(counted: counted)
    }

    /// The password was right: the account's failures are forgotten as far as this address counted among them, the address gets
    /// its try back but no other, and is usual for the account for 90 days.
    ///
    /// - Parameters:
    ///   - attempt: The attempt.
    ///   - localID: Whose password it was.
    /// - Throws: `StorageError`.
    package func succeeded(_ attempt: PasswordAttempt, localID: String) async throws {
        guard let counted = attempt.counted else { return }
        let now = environment.now()
        try await database.write { transaction throws in
            try transaction.resetThrottle(counted.scope, bucket: counted.account.name)
            try transaction.takeBack(counted.address, counted.scope.project)
            try transaction.remember(counted.network, of: localID, counted.scope, at: now)
        }
    }

    /// The link of an e-mail was shown: the network is usual for the account for 90 days, as after a right password.
    ///
    /// - Parameters:
    ///   - localID: Whose link it was.
    ///   - context: The call, in the scope of the account.
    /// - Throws: `StorageError`.
    package func showedLink(localID: String, context: CallContext) async throws {
        guard isOn else { return }
        let now = environment.now()
        let network = ClientNetwork(context.address)
        try await database.write { try $0.remember(network, of: localID, context.scope, at: now) }
    }

    /// The password was not checked after all, because the server had too much to do: the try was none. A delay that it began
    /// stays.
    ///
    /// - Parameter attempt: The attempt.
    /// - Throws: `StorageError`.
    package func abandoned(_ attempt: PasswordAttempt) async throws {
        guard let counted = attempt.counted else { return }
        try await database.write { transaction throws in
            try transaction.takeBack(counted.account, counted.scope)
            try transaction.takeBack(counted.address, counted.scope.project)
        }
    }
}

extension Transaction {
    /// Who has proven to own an account's mailbox starts afresh: wrong passwords in a row are forgotten, also those that the
    /// address of the call is charged with.
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

    fileprivate func takeBack(_ bucket: PasswordAttempt.Bucket, _ scope: Scope) throws {
        try takeBackThrottle(scope, bucket: bucket.name, endingAt: bucket.endsAt)
    }

    /// The account of an address, if the network has signed in to it in the last 90 days.
    ///
    /// By the account, not by the e-mail: who had the e-mail before leaves no usual address behind.
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

/// How long an account waits after wrong passwords in a row.
enum PasswordDelay {
    /// From so many on, one an hour is let through (NIST SP 800-63B-4 §3.2.2: no more than 100 in a row).
    static let mostInARow = 100

    /// Doubles from one second to fifteen minutes.
    ///
    /// - Parameters:
    ///   - failures: Wrong passwords in a row.
    ///   - free: How many of them are needed for a delay.
    /// - Returns: The delay before the next try; `nil` for none.
    static func after(_ failures: Int64, free: Int) -> Duration? {
        if failures >= mostInARow { return .seconds(3600) }
        guard failures >= free else { return nil }
        return .seconds(min(1 << min(failures - Int64(free), 10), 900))
    }
}
