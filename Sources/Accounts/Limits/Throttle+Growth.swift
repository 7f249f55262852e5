package import Project
import Settings
import Storage
import Tokens

// Limits for rows that strangers can create and work that they can cause. The constants are far above the needs of any honest
// network, so they cannot be configured.
extension Throttle {
    /// Sign-ins at providers that one network may begin in an hour.
    package static let flowsPerAddressPerHour = 3000
    /// The bytes of a provider's answer that the beginning of its sign-in stands for. Most answers are shorter; what is longer counts as
    /// further beginnings, because anybody may post any text for a sign-in that he has begun.
    package static let answerBytesPerFlow = 1 << 14
    /// Refused assertions of service accounts from one network in an hour.
    package static let refusedAssertionsPerAddressPerHour = 200
    /// Notices of changed ways in that one recipient gets in an hour of changes that sessions make.
    package static let noticesPerRecipientPerHour = 20

    /// The bytes of an app's own data that the beginning of a sign-in stands for.
    private static let dataBytesPerFlow = 1 << 11

    /// Counts the beginning of a sign-in at a provider, which stores a row.
    ///
    /// - Parameter bytes: The length of what the app has stored with it. Long data counts as further beginnings.
    package func flow(storing bytes: Int = 0, context: CallContext) async throws {
        try await count(.flows, context, times: 1 + bytes / Self.dataBytesPerFlow)
    }

    /// Counts a provider's answer before it is kept for the app, if it is long.
    func answer(ofBytes bytes: Int, context: CallContext) async throws {
        let further = (bytes - 1) / Self.answerBytesPerFlow
        if further > 0 { try await count(.flows, context, times: further) }
    }

    /// Counts an addition that an account's user makes, which stores rows and causes events. Administrators are not limited.
    ///
    /// It counts for the sign-in of the session and, with twice the limit, for the account, so that somebody with another session of the
    /// account does not use up what its owner may add. What the owner removes is never refused by a count: each removal needs an addition
    /// first, so the limit of additions bounds removals, too (threat case RES-05).
    ///
    /// - Parameter transaction: The transaction of the change; undoing it undoes the count.
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`.
    func count(
        additionTo localID: String,
        by token: VerifiedIDToken?,
        context: CallContext,
        at time: Timestamp,
        in transaction: Transaction
    ) throws {
        guard isOn, !context.isPrivileged else { return }
        let (limit, now) = (limits.account.changesPerHour, environment.steady(time))
        if let token {
            // Sessions that take each other's place have the time of their sign-in in common, so changing them gains nothing.
            let bucket = AccountBucket.changes(of: localID, signedInAt: token.authTime)
            try transaction.countHour(context.scope, bucket, at: now, limit: limit, .changes)
        }
        try transaction.countHour(context.scope, .changes(of: localID), at: now, limit: 2 * limit, .changes)
    }

    /// Counts something that an account's user removes or ends, without ever refusing it.
    ///
    /// - Returns: Whether there were so many that the sessions that end need not be remembered.
    func count(
        removalFrom localID: String,
        context: CallContext,
        at time: Timestamp,
        in transaction: Transaction
    ) throws -> Bool {
        guard isOn, !context.isPrivileged else { return false }
        let counted = try transaction.countThrottle(
            context.scope,
            bucket: .removals(of: localID),
            at: environment.steady(time),
            window: .fixed(.seconds(3600))
        )
        return counted.count > 2 * limits.account.changesPerHour
    }

    /// Counts a notice of a changed way in. Beyond the limit the change is refused with its notice: a thief who has a session neither
    /// floods the owner's mailbox nor hides a change behind a flood (threat case OOB-12).
    ///
    /// - Parameters:
    ///   - context: Administrators change what they like.
    ///   - transaction: That of the change: what is undone has not counted.
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`.
    func count(
        noticeTo email: String,
        context: CallContext,
        at time: Timestamp,
        in transaction: Transaction
    ) throws {
        guard isOn, !context.isPrivileged else { return }
        let bucket = ThrottleBucket.notices(to: email)
        // Each tenant counts for itself, so that the provider of one cannot refuse changes to the users of another.
        let now = environment.steady(time)
        try transaction.countFixed(context.scope, bucket, at: now, limit: Self.noticesPerRecipientPerHour, .changes)
    }

    /// Counts a notice of a new password. The owner changes it also after a thief has used up the notices, so a change is never refused;
    /// beyond the limit it is made without a notice. The notices before it have codes that take it back, too.
    func admits(
        passwordNoticeTo email: String,
        context: CallContext,
        at time: Timestamp,
        in transaction: Transaction
    ) throws -> Bool {
        guard isOn, !context.isPrivileged else { return true }
        let bucket = ThrottleBucket.passwordNotices(to: email)
        let now = environment.steady(time)
        let counted = try transaction.countThrottle(context.scope, bucket: bucket, at: now, window: .fixed(.seconds(3600)))
        return counted.count <= Self.noticesPerRecipientPerHour
    }

    /// Counts an assertion as refused before it is looked at, and takes that back when it turns out to be good.
    ///
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`; `StorageError`; the errors of `body`.
    func assertion<T: Sendable>(
        from address: String?,
        projectID: String,
        _ body: () async throws -> T
    ) async throws -> T {
        guard isOn else { return try await body() }
        return try await countingRefusal(
            .assertions,
            of: ClientNetwork(address),
            Scope(projectID: projectID),
            body
        )
    }

    /// Counts a call that another server answers on the operator's account as refused before it is made, and takes that back when
    /// its answer is good, so that strangers cannot use up what the operator may ask there (threat case THR-13). A failure for
    /// whatever reason counts: a client could hang up, or make the other server fail. So does a call that goes on although its client has
    /// hung up (``FinishedWork``), whatever comes of it.
    ///
    /// - Parameter body: Makes the call, and throws when the answer is not good.
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`; `StorageError`; the errors of `body`.
    func outgoingCall<T: Sendable>(context: CallContext, _ body: () async throws -> T) async throws -> T {
        guard isOn, !context.isPrivileged else { return try await body() }
        // Tenants share the operator's quota, so they share the count.
        return try await countingRefusal(
            .refusedCalls,
            of: ClientNetwork(context.address),
            context.scope.project,
            body
        )
    }

    private func countingRefusal<T: Sendable>(
        _ limit: RateLimit,
        of network: ClientNetwork,
        _ scope: Scope,
        _ body: () async throws -> T
    ) async throws -> T {
        let now = environment.steadyNow()
        let counted = try await database.write { [self] transaction in
            try transaction.count(limit, of: network, scope, at: now, limits)
        }
        let result = try await body()
        if !FinishedWork.isAbandoned { try await database.write { try $0.takeBack(counted, scope) } }
        return result
    }
}
