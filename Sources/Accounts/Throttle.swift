package import Project
package import Storage

/// Limits how often clients may try, in the store, so that the limits hold over all nodes (`contract/rulings.md`, limits; threat
/// cases THR-01 to THR-12).
///
/// Each call counts in a transaction of its own, so that no later failure takes the count back. What is refused counts nothing:
/// whoever goes on trying prolongs no delay. In development nothing is throttled, as in the emulator.
package struct Throttle: Sendable {
    /// How much is let through.
    package struct Limits: Sendable, Hashable {
        /// New accounts from one client network in an hour.
        package var signUpsPerAddressPerHour: Int
        /// Wrong passwords in a row on one account before delays begin.
        package var passwordFailuresPerAccount: Int
        /// Wrong passwords from one client network in an hour.
        package var passwordFailuresPerAddressPerHour: Int
        /// Messages to one recipient in an hour.
        package var mailsPerRecipientPerHour: Int
        /// Messages asked for from one client network in an hour.
        package var mailsPerAddressPerHour: Int
        /// Changes that one account may make to itself in an hour.
        package var changesPerAccountPerHour: Int

        package init(
            signUpsPerAddressPerHour: Int,
            passwordFailuresPerAccount: Int,
            passwordFailuresPerAddressPerHour: Int,
            mailsPerRecipientPerHour: Int,
            mailsPerAddressPerHour: Int,
            changesPerAccountPerHour: Int
        ) {
            self.signUpsPerAddressPerHour = signUpsPerAddressPerHour
            self.passwordFailuresPerAccount = passwordFailuresPerAccount
            self.passwordFailuresPerAddressPerHour = passwordFailuresPerAddressPerHour
            self.mailsPerRecipientPerHour = mailsPerRecipientPerHour
            self.mailsPerAddressPerHour = mailsPerAddressPerHour
            self.changesPerAccountPerHour = changesPerAccountPerHour
        }
    }

    let database: any Database
    let environment: ServerEnvironment
    let limits: Limits
    /// Whether anything is limited at all.
    let isOn: Bool

    /// - Parameters:
    ///   - database: Where to count.
    ///   - environment: The clock.
    ///   - limits: How much is let through.
    ///   - mode: Development limits nothing.
    package init(database: any Database, environment: ServerEnvironment, limits: Limits, mode: ModeRules) {
        self.database = database
        self.environment = environment
        self.limits = limits
        isOn = mode.throttles
    }

    /// Counts a sign-up. To be called once the request is known to be allowed, before the account is made; administrators make
    /// as many as they like.
    ///
    /// - Parameter context: The call.
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`, with the seconds until the hour has passed; `StorageError`.
    package func signUp(context: CallContext) async throws {
        guard isOn, !context.isPrivileged else { return }
        let (now, limit) = (environment.now(), limits.signUpsPerAddressPerHour)
        let bucket = ThrottleBucket.signUps(from: ClientNetwork(context.address))
        try await database.write { transaction throws in
            _ = try transaction.countHour(context.scope.project, bucket, at: now, limit: limit, .signUps)
        }
    }

    /// Counts a sign-up with an address that has an account. The contract has it say so, which must not serve to try out lists of
    /// addresses (threat case ENU-02).
    ///
    /// - Parameter context: The call.
    /// - Throws: As ``signUp(context:)``, when as many were told already as there may be sign-ups.
    package func takenEmail(context: CallContext) async throws {
        guard isOn, !context.isPrivileged else { return }
        let (now, limit) = (environment.now(), limits.signUpsPerAddressPerHour)
        let bucket = ThrottleBucket.takenEmails(from: ClientNetwork(context.address))
        try await database.write { transaction throws in
            _ = try transaction.countHour(context.scope.project, bucket, at: now, limit: limit, .signUps)
        }
    }

    /// Counts a message. To be called before it is known whether the recipient has an account, so that a refusal does not tell;
    /// administrators are limited by recipient alone, for they ask on behalf of many clients.
    ///
    /// A network that has signed in to the account of a recipient whose address is proven has a share of its own, and so have
    /// administrators: strangers cannot use up the messages by which owners come back to their accounts (threat case OOB-11).
    ///
    /// - Parameters:
    ///   - email: The recipient.
    ///   - context: The call.
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`, with the seconds until the hour has passed; `StorageError`.
    package func mail(to email: String, context: CallContext) async throws {
        guard isOn else { return }
        let (now, limits) = (environment.now(), limits)
        let network = ClientNetwork(context.address)
        // The inbox and the network are the same whatever tenant is named.
        let scope = context.scope.project
        try await database.write { transaction throws in
            var asker = context.isPrivileged ? ThrottleBucket.Asker.administrator : .anybody
            // An address that was never proven may have been planted by a stranger, who would gain a share in each network.
            if !context.isPrivileged,
                try transaction.account(of: email, forWhichIsUsual: network, context.scope, at: now)?.emailVerified == true
            {
                asker = .usual(network)
            }
            let recipient = ThrottleBucket.mails(to: email, askedBy: asker)
            _ = try transaction.countHour(scope, recipient, at: now, limit: limits.mailsPerRecipientPerHour, .mails)
            guard !context.isPrivileged else { return }
            let sender = ThrottleBucket.mails(from: network)
            _ = try transaction.countHour(scope, sender, at: now, limit: limits.mailsPerAddressPerHour, .mails)
        }
    }
}

/// What there was too much of, as the client is told.
enum ThrottledEvent: String {
    case signUps = "Too many sign-ups. Please try again later."
    case passwords = "Too many failed sign-in attempts. Please try again later."
    case secondFactors = "Too many wrong codes. Please try again later."
    case mails = "Too many messages. Please try again later."
    case textMessages = "Too many text messages. Please try again later."
    case appProofs = "Too many attempts to verify an app. Please try again later."
    case changes = "Too many changes of this account. Please try again later."
    case flows = "Too many sign-ins were begun. Please try again later."
    case assertions = "Too many refused assertions. Please try again later."

    /// The refusal of one more before `time`.
    func refusal(until time: Timestamp, at now: Timestamp) -> APIError {
        APIError(.tooManyAttemptsTryLater, rawValue, retryAfterSeconds: now.secondsToWait(until: time))
    }
}

extension Transaction {
    /// Counts one event of an hour.
    ///
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER` beyond `limit`, which undoes the transaction; `StorageError`.
    func countHour(
        _ scope: Scope,
        _ bucket: String,
        at now: Timestamp,
        limit: Int,
        _ event: ThrottledEvent
    ) throws -> ThrottleCount {
        try countFixed(scope, bucket, at: now, window: .seconds(3600), limit: limit, event)
    }

    /// Counts one event of a window that begins with its first one.
    ///
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER` beyond `limit`, which undoes the transaction; `StorageError`.
    @discardableResult
    func countFixed(
        _ scope: Scope,
        _ bucket: String,
        at now: Timestamp,
        window: Duration,
        limit: Int,
        _ event: ThrottledEvent
    ) throws -> ThrottleCount {
        let counted = try countThrottle(scope, bucket: bucket, at: now, window: .fixed(window))
        guard counted.count <= limit else { throw event.refusal(until: counted.endsAt, at: now) }
        return counted
    }
}
