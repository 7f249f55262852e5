import Project
import Storage

/// A proof of whose account it is, and the one place that says what dies with it (`contract/rulings.md` 36).
///
/// Rows are removed in the transaction of the proof. What is sealed and in a client's keeping dies with the account's generation: pending
/// tokens, temporary proofs, half-done enrolments, challenges of passkeys and first factors that wait for a second.
struct OwnershipProof: Sendable {
    /// How it was proven.
    enum Kind: Sendable {
        /// The mailbox or a provider proves an address that was never proven: what was set up before goes, every way in included.
        case takeover
        /// The account's own user proves its address, and keeps the ways in.
        case ownAddress
        /// A proven address gives way to another proven one.
        case change
        /// The owner of an address takes it back.
        ///
        /// - `code`: The code that says so.
        /// - `waysSince`: Ways in that are as new as this go.
        /// - `factorsSince`: Second factors, too; `nil` keeps them all, for a mailbox must not defeat them while the address is its own.
        case recovery(by: OOBCodeRecord, waysSince: Timestamp, factorsSince: Timestamp?)
        /// A password was reset by mail on an account whose address was proven before.
        case reset
        /// The owner took a second factor back that somebody else had added.
        case revertedFactor
        /// What the emulator ends when a provider proves the address.
        case emulatedTakeover
        /// What the emulator ends when a password is reset.
        case emulatedReset

        /// Whether every session ends with it.
        var endsSessions: Bool { if case .ownAddress = self { false } else { true } }
    }

    /// What went, for those who are told.
    struct Removed: Sendable, Hashable {
        /// The providers that were unlinked.
        var providers: [String] = []
        var hasPasskeys = false
        var hasPhoneNumber = false
    }

    let kind: Kind
    let scope: Scope
    let time: Timestamp

    /// Ends what the proof ends.
    ///
    /// - Parameters:
    ///   - account: The account, whose address is still the one of before; the caller stores it.
    ///   - transaction: The transaction of the proof.
    /// - Returns: Which ways in went.
    /// - Throws: `StorageError`.
    @discardableResult
    func apply(to account: inout AccountRecord, in transaction: any Transaction) throws -> Removed {
        switch kind {
        case .emulatedTakeover, .emulatedReset: return try emulate(on: &account, in: transaction)
        default: break
        }
        try transaction.deleteOOBCodes(scope, boundTo: account, keeping: keptCodes)
        if case .recovery(let code, _, _) = kind {
            // A notice to the address that the account has says nothing of how it came to it, and ends no way back to another.
            let isNotice = code.newEmail == nil && account.email == code.email
            try transaction.deleteWaysBack(scope, localID: account.localID, overtakenBy: code, sparesNewer: isNotice)
        }
        account.proofGeneration += 1
        let removed = try firstNew(of: account).map { try removeWays(of: &account, since: $0, in: transaction) }
        switch kind {
        case .takeover:
            account.losePassword()
            account.hasEmailLinkSignIn = false
            account.initialEmail = nil
            account.secondFactors = []
        case .recovery(_, let waysSince, let factorsSince):
            if account.passwordUpdatedAt ?? waysSince >= waysSince { account.losePassword() }
            if let factorsSince { account.secondFactors.removeAll { $0.enrolledAt >= factorsSince } }
        default: break
        }
        if kind.endsSessions {
            account.endTokens(at: time)
            try transaction.revokeSessions(scope, localID: account.localID, at: time)
        }
        if provesAddress {
            account.emailVerified = true
            account.emailProvenAt = max(time, account.emailProvenAt ?? time)
        }
        return removed ?? Removed()
    }

    // What leads back to an address that was proven belongs to its owner, and lives until it expires. A recovery ends some itself.
    private var keptCodes: [OOBRequestType] {
        switch kind {
        case .change, .reset, .revertedFactor, .recovery: [.recoverEmail, .revertSecondFactorAddition]
        default: []
        }
    }

    private var provesAddress: Bool { if case .revertedFactor = kind { false } else { true } }

    // The first moment of which ways in go. What is as old as the last proof came with it.
    private func firstNew(of account: AccountRecord) -> Timestamp? {
        switch kind {
        case .takeover: .distantPast
        case .recovery(_, let waysSince, _): waysSince
        case .reset: account.hasProvenAddress ? account.emailProvenAt?.next ?? .distantPast : .distantPast
        default: nil
        }
    }

    private func removeWays(
        of account: inout AccountRecord,
        since first: Timestamp,
        in transaction: any Transaction
    ) throws -> Removed {
        let localID = account.localID
        var removed = Removed()
        removed.providers = try transaction.identities(scope, localID: localID)
            .filter { ($0.linkedAt ?? first) >= first }.map(\.providerID)
        try transaction.deleteIdentities(scope, localID: localID, linkedSince: first)
        removed.hasPasskeys = try transaction.passkeys(scope, localID: localID).contains { $0.createdAt >= first }
        try transaction.deletePasskeys(scope, localID: localID, createdSince: first)
        // A number of unknown age counts as new.
        if account.phoneNumber != nil, (account.phoneAddedAt ?? first) >= first {
            account.phoneNumber = nil
            removed.hasPhoneNumber = true
        }
        return removed
    }

    private func emulate(on account: inout AccountRecord, in transaction: any Transaction) throws -> Removed {
        if case .emulatedTakeover = kind {
            account.losePassword()
            account.phoneNumber = nil
            account.hasEmailLinkSignIn = false
        } else {
            try transaction.deleteAllIdentities(scope, localID: account.localID)
        }
        if account.emailVerified != true {
            account.initialEmail = nil
            try transaction.deleteAllPasskeys(scope, localID: account.localID)
        }
        account.emailVerified = true
        account.endTokens(at: time)
        try transaction.revokeSessions(scope, localID: account.localID, at: time)
        return Removed()
    }
}

extension Timestamp {
    fileprivate static let distantPast = Timestamp(milliseconds: .min)

    /// The next moment that can be told from this one.
    var next: Timestamp { advanced(by: .milliseconds(1)) }
}

extension AccountRecord {
    /// Whether the address that it has was proven.
    var hasProvenAddress: Bool { email != nil && emailVerified == true }

    /// Whether it has a proven address, or had one that its user removed: then another one takes more than a session.
    var hadProvenAddress: Bool { hasProvenAddress || emailProvenAt != nil }

    /// The time of something that is added now: after the last proof, whatever clock wrote that.
    func timeOfAddition(_ time: Timestamp) -> Timestamp { emailProvenAt.map { max(time, $0.next) } ?? time }

    /// Takes the password away.
    mutating func losePassword() {
        passwordHash = nil
        passwordUpdatedAt = nil
    }

    /// Takes a phone number; one that it has already stays as old as it is.
    mutating func take(phoneNumber number: String, at time: Timestamp) {
        guard phoneNumber != number else { return }
        phoneNumber = number
        phoneAddedAt = timeOfAddition(time)
    }

    /// Records whether somebody who is believed says that the address is the user's.
    mutating func vouch(forAddress isVerified: Bool, at time: Timestamp) {
        emailProvenAt = isVerified ? emailProvenAt ?? time : nil
        emailVerified = isVerified
    }
}

extension Transaction {
    /// Forgets where an account's address was to be moved to by sessions that have ended, also within the same second.
    ///
    /// - Throws: `StorageError`.
    func forgetAddressChanges(of account: AccountRecord, _ scope: Scope) throws {
        let kept = OOBRequestType.allCases.filter { $0 != .verifyAndChangeEmail }
        try deleteOOBCodes(scope, boundTo: account, keeping: kept)
    }

    /// Takes an address from an account that never proved it, so that the address can go back to its owner. All that was begun ends.
    ///
    /// - Parameters:
    ///   - holder: The account that has the address.
    ///   - scope: Its scope.
    ///   - time: When.
    /// - Returns: The account as it is stored now.
    /// - Throws: `StorageError`.
    func releaseAddress(of holder: AccountRecord, _ scope: Scope, at time: Timestamp) throws -> AccountRecord {
        try deleteOOBCodes(scope, boundTo: holder)
        var account = holder
        if account.initialEmail == account.email { account.initialEmail = nil }
        account.email = nil
        account.emailVerified = nil
        account.hasEmailLinkSignIn = false
        account.proofGeneration += 1
        account.endTokens(at: time)
        try revokeSessions(scope, localID: account.localID, at: time)
        try updateAccount(scope, account)
        return account
    }

    /// Whether an account is still anonymous: nothing was ever added by which its user could sign in again.
    ///
    /// A token cannot tell, for it may be older than what was added since (threat case LNK-16).
    ///
    /// - Throws: `StorageError`.
    func isAnonymous(_ account: AccountRecord, _ scope: Scope) throws -> Bool {
        guard account.email == nil, account.emailProvenAt == nil, account.phoneNumber == nil, account.passwordHash == nil,
            !account.hasCustomAuth
        else { return false }
        return try identities(scope, localID: account.localID).isEmpty && passkeys(scope, localID: account.localID).isEmpty
    }
}
