package import Project
package import Settings
package import Storage

/// Limits how often clients may try. The counts are in the store, so the limits hold over all nodes (`Docs/Contract/rulings.md`,
/// limits; threat cases THR-01 to THR-12).
///
/// An attempt counts in a transaction of its own, so that no later failure undoes the count. A refused attempt is not counted, so
/// further tries do not prolong a delay. Development throttles nothing, as in the emulator.
package final class Throttle: Sendable {
    static let day = Duration.seconds(86_400)

    let database: any Database
    let environment: ServerEnvironment
    let limits: LimitSettings
    /// Whether anything is limited at all.
    let isOn: Bool
    /// How long a try waits for the outcome of others.
    let patience: Duration
    /// The tries of this node that wait for the outcome of others.
    let lines = TryLines()

    /// - Parameters:
    ///   - mode: Development limits nothing.
    ///   - patience: How long a try waits for the outcome of others that are being evaluated.
    package init(
        database: any Database,
        environment: ServerEnvironment,
        limits: LimitSettings,
        mode: ModeRules,
        patience: Duration = .seconds(10)
    ) {
        self.patience = patience
        self.database = database
        self.environment = environment
        self.limits = limits
        isOn = mode.throttles
    }

    /// Counts a sign-up. The caller calls this once the request is known to be allowed, before the account is created.
    /// Administrators are not limited.
    ///
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`, with the seconds until the hour has passed.
    package func signUp(context: CallContext) async throws { try await count(.signUps, context) }

    /// Counts an event of a client by its network, over all tenants together. Administrators are not limited.
    func count(_ limit: RateLimit, _ context: CallContext, times: Int = 1) async throws {
        guard isOn, !context.isPrivileged else { return }
        let (now, network) = (environment.steadyNow(), ClientNetwork(context.address))
        try await database.write { [self] transaction throws in
            for _ in 0..<times { try transaction.count(limit, of: network, context.scope.project, at: now, limits) }
        }
    }

    /// Counts an event of a caller in the transaction that stores it. Unlike other counts, this one includes administrators.
    ///
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`, with the seconds until the hour has passed.
    func count(_ limit: RateLimit, _ context: CallContext, at time: Timestamp, in transaction: Transaction) throws {
        let (network, now) = (ClientNetwork(context.address), environment.steady(time))
        try transaction.count(limit, of: network, context.scope.project, at: now, limits)
    }

    /// Counts a message. The caller calls this before it looks the recipient up, so that a refusal does not reveal an account.
    /// Administrators are limited by recipient only, because they ask for many clients.
    ///
    /// A network that has signed in to the account of a recipient whose address is proven has a count of its own, and so have
    /// administrators, so that strangers cannot use up the messages by which owners return to their accounts. A new user, whose address
    /// is not proven yet, has no such share: for each address one message a day is kept by which it is proven, whichever account or
    /// network asks for it (threat case OOB-11).
    ///
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`, with the seconds until the hour has passed.
    package func mail(_ type: OOBRequestType? = nil, to email: String, context: CallContext) async throws {
        guard isOn else { return }
        let (now, limits) = (environment.steadyNow(), limits)
        let network = ClientNetwork(context.address)
        // The count is the project's: inbox and network are the same in all tenants.
        let scope = context.scope.project
        try await database.write { transaction throws in
            var asker = context.isPrivileged ? ThrottleBucket.Asker.administrator : .anybody
            // An address that was never proven may have been set by a stranger, who would gain a count for each network.
            if !context.isPrivileged,
                try transaction.account(of: email, forWhichIsUsual: network, context.scope, at: now)?.emailVerified == true
            {
                asker = .usual(network)
            }
            let recipient = ThrottleBucket.mails(to: email, askedBy: asker)
            do {
                try transaction.countFixed(scope, recipient, at: now, limit: limits.email.perRecipientPerHour, .mails)
            } catch let refusal as APIError {
                guard type == .verifyEmail else { throw refusal }
                // Tenants have no mails of their own for one inbox, so that is the project's, too.
                let kept = ThrottleBucket.proofMails(to: email)
                let counted = try transaction.countThrottle(scope, bucket: kept, at: now, window: .fixed(Self.day))
                if counted.count > 1 { throw refusal }
            }
            guard !context.isPrivileged else { return }
            try transaction.count(.mails, of: network, scope, at: now, limits)
        }
    }
}

/// The throttled events, with their messages for clients.
enum ThrottledEvent: String {
    case signUps = "Too many sign-ups. Please try again later."
    case passwords = "Too many failed sign-in attempts. Please try again later."
    case secondFactors = "Too many wrong codes. Please try again later."
    case mails = "Too many messages. Please try again later."
    case textMessages = "Too many text messages. Please try again later."
    case appProofs = "Too many attempts to verify an app. Please try again later."
    case changes = "Too many changes of this account. Please try again later."
    case flows = "Too many sign-ins were begun. Please try again later."
    case newPasswords = "Too many new passwords. Please try again later."
    case calls = "Too many refused credentials. Please try again later."
    case searches = "Too many searches. Please try again later."
    case assertions = "Too many refused assertions. Please try again later."

    /// The refusal of further events before `time`.
    func refusal(until time: Timestamp, at now: Timestamp) -> APIError {
        var error = APIError(.tooManyAttemptsTryLater, rawValue, retryAfterSeconds: now.secondsToWait(until: time))
        error.limit = "\(self)"
        return error
    }
}

/// An event that has been counted.
struct CountedBucket: Sendable {
    let name: String
    /// The end of the window that counted it.
    let endsAt: Timestamp
}

extension Transaction {
    /// Removes an event from all of its counts.
    func takeBack(_ counted: [CountedBucket], _ scope: Scope) throws {
        for bucket in counted { try takeBackThrottle(scope, bucket: bucket.name, endingAt: bucket.endsAt) }
    }

    /// Counts an event of an account in a window of an hour.
    func countHour(_ scope: Scope, _ bucket: AccountBucket, at now: Timestamp, limit: Int, _ event: ThrottledEvent) throws {
        let counted = try countThrottle(scope, bucket: bucket, at: now, window: .fixed(.seconds(3600)))
        guard counted.count <= limit else { throw event.refusal(until: counted.endsAt, at: now) }
    }

    /// Counts an event in a window that begins with its first event.
    ///
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER` beyond `limit`, which undoes the transaction.
    @discardableResult
    func countFixed(
        _ scope: Scope,
        _ bucket: String,
        at now: Timestamp,
        window: Duration = .seconds(3600),
        limit: Int,
        _ event: ThrottledEvent
    ) throws -> ThrottleCount {
        let counted = try countThrottle(scope, bucket: bucket, at: now, window: .fixed(window))
        guard counted.count <= limit else { throw event.refusal(until: counted.endsAt, at: now) }
        return counted
    }
}
