import Project
import Settings
import Storage

/// What one client network may do in an hour, over all nodes; the wider networks have higher limits (``ClientNetwork/limits(_:)``).
/// Figures without a setting are far above the needs of any honest network.
struct RateLimit: Sendable {
    /// The beginning of the names of its counts, which are rows of the store: renamed, they would begin anew.
    let name: String
    let event: ThrottledEvent
    /// The limit of a single network.
    let most: @Sendable (LimitSettings) -> Int

    private init(_ name: String, _ event: ThrottledEvent, _ most: @escaping @Sendable (LimitSettings) -> Int) {
        self.name = name
        self.event = event
        self.most = most
    }

    /// New accounts.
    static let signUps = RateLimit("signUps:from:", .signUps) { $0.signUp.perAddressPerHour }
    /// Answers that tell of an address whether it has an account.
    static let lookUps = RateLimit("lookUps:from:", .signUps) { $0.signUp.perAddressPerHour }
    /// Messages asked for.
    static let mails = RateLimit("mails:from:", .mails) { $0.email.perAddressPerHour }
    /// Text messages asked for.
    static let messages = RateLimit("sms:from:", .textMessages) { $0.phone.perAddressPerHour }
    /// Codes for fictional numbers, which cost only a row each.
    static let testMessages = RateLimit("sms:test:", .textMessages) { 20 * $0.phone.perAddressPerHour }
    /// Proofs of apps asked for.
    static let appProofs = RateLimit("appProofs:from:", .appProofs) { $0.phone.perAddressPerHour }
    /// Sign-ins at providers that were begun.
    static let flows = RateLimit("flows:from:", .flows) { _ in Throttle.flowsPerAddressPerHour }
    /// Refused assertions of service accounts.
    static let assertions = RateLimit("assertions:from:", .assertions) { _ in Throttle.refusedAssertionsPerAddressPerHour }
    /// Calls of other servers that came to nothing.
    static let refusedCalls = RateLimit("refusedCalls:from:", .calls) { $0.signIn.refusedCallsPerAddressPerHour }
    /// Passwords that users have set.
    static let newPasswords = RateLimit("newPasswords:from:", .newPasswords) { $0.password.failuresPerAddressPerHour }
    /// Wrong passwords.
    static let passwords = RateLimit("passwords:from:", .passwords) { $0.password.failuresPerAddressPerHour }
    /// Tries of operators.
    static let operators = RateLimit("operators:from:", .passwords) { _ in 60 }
}

extension Transaction {
    /// Counts an event of a client in a window of an hour: by its network, and by the wider networks with higher limits.
    ///
    /// All transactions count the narrowest network first, so none waits for another that waits for it.
    ///
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER` beyond the limit of any of them, which undoes the transaction.
    @discardableResult
    func count(
        _ limit: RateLimit,
        of network: ClientNetwork,
        _ scope: Scope,
        at now: Timestamp,
        _ settings: LimitSettings
    ) throws -> [CountedBucket] {
        try ThrottleBucket.counts(of: network, limit: limit.most(settings), named: limit.name).map { bucket in
            let counted = try countFixed(scope, bucket.name, at: now, limit: bucket.limit, limit.event)
            return CountedBucket(name: bucket.name, endsAt: counted.endsAt)
        }
    }
}
