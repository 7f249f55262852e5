import Project
import Storage

/// A count, or a mark, that belongs to an account. Its row names the account, so that a proof of who owns the account finds it.
struct AccountBucket: Sendable {
    /// The kinds, each with the beginning of its names. What a proof of ownership does to each is decided in
    /// ``OwnershipProof/Kind/ends(_:leavingFactors:)``.
    enum Kind: String, Sendable, CaseIterable {
        /// The mark of a network from which a user has signed in.
        case usual = "usual:"
        /// The mark of a network from which a second factor was proven.
        case usualForSecondFactors = "usualForSecondFactors:"
        /// Wrong codes of second factors.
        case secondFactors = "secondFactors:of:"
        /// Additions that the account's user made, over all sign-ins.
        case changes = "changes:of:"
        /// Additions that the account's user made in the sessions of one sign-in.
        case changesOfSignIn = "changes:signIn:"
        /// What the account's user removed.
        case removals = "removals:of:"
        /// Sessions that ended for new ones.
        case surplusSessions = "surplusSessions:of:"
    }

    let localID: String
    let name: String

    private init(_ kind: Kind, of localID: String, _ rest: String = "") {
        self.localID = localID
        name = kind.rawValue + localID + rest
    }

    /// The mark of a network from which a user has signed in; `nil` for an unknown network.
    static func usual(_ network: ClientNetwork, of localID: String) -> AccountBucket? {
        network.key.map { AccountBucket(.usual, of: localID, ":\($0)") }
    }

    /// The mark of a network from which a second factor was proven; `nil` for an unknown network.
    static func usualForSecondFactors(_ network: ClientNetwork, of localID: String) -> AccountBucket? {
        network.key.map { AccountBucket(.usualForSecondFactors, of: localID, ":\($0)") }
    }

    /// Wrong codes of second factors, for a network with a count of its own; `nil` for all others together.
    static func secondFactors(of localID: String, from usual: ClientNetwork?) -> AccountBucket {
        AccountBucket(.secondFactors, of: localID, usual.map { ":from:\($0.text)" } ?? "")
    }

    /// Additions that the account's user made, over all sign-ins.
    static func changes(of localID: String) -> AccountBucket { AccountBucket(.changes, of: localID) }

    /// Additions that the account's user made in the sessions of one sign-in.
    ///
    /// - Parameter authTime: The time of the sign-in, which a session hands on to the one that takes its place.
    static func changes(of localID: String, signedInAt authTime: Int64) -> AccountBucket {
        AccountBucket(.changesOfSignIn, of: localID, ":\(authTime)")
    }

    /// What the account's user removed.
    static func removals(of localID: String) -> AccountBucket { AccountBucket(.removals, of: localID) }

    /// Sessions that ended for new ones.
    static func surplusSessions(of localID: String) -> AccountBucket { AccountBucket(.surplusSessions, of: localID) }
}

extension Transaction {
    /// Counts an event of an account.
    func countThrottle(
        _ scope: Scope,
        bucket: AccountBucket,
        at time: Timestamp,
        window: ThrottleWindow
    ) throws -> ThrottleCount {
        try countThrottle(scope, bucket: bucket.name, of: bucket.localID, at: time, window: window)
    }

    /// Whether a mark of an account has not ended.
    func isMarked(_ bucket: AccountBucket?, _ scope: Scope, at now: Timestamp) throws -> Bool {
        guard let bucket, let mark = try throttle(scope, bucket: bucket.name, of: bucket.localID) else { return false }
        return mark.endsAt > now
    }
}
