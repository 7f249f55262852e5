import Project
import Storage

/// A proof of who owns an account. This type alone decides what such a proof ends (`Docs/Contract/rulings.md` 36).
///
/// Rows are removed in the transaction of the proof, for each of ``OwnedRows``. Sealed values that clients hold end with the account's generation: pending
/// tokens, temporary proofs, unfinished enrolments, passkey challenges and first factors that wait for a second.
struct OwnershipProof: Sendable {
    enum Kind: Sendable {
        /// The mailbox or a provider proves an address for the first time. Every way to sign in is removed, and every second factor of an
        /// account that never had a proven address: after an administrator's change of the address, a mailbox must not defeat the factors.
        case takeover
        /// The account's own user proves its address. The ways to sign in stay.
        case ownAddress
        /// A proven address is replaced by another proven one.
        case change
        /// The owner of an address takes it back.
        ///
        /// - `code`: The code that was used.
        /// - `waysSince`: Ways to sign in that were added at this time or later are removed.
        /// - `factorsSince`: Second factors too; `nil` keeps them, because while the address is the account's own, a mailbox must
        ///   not suffice to remove them.
        /// - `endsPassword`: Whether the password was added, too.
        case recovery(by: OOBCodeRecord, waysSince: Timestamp, factorsSince: Timestamp?, endsPassword: Bool)
        /// A password was reset by mail on an account whose address had been proven.
        case reset
        /// The owner removed a second factor that somebody else had added.
        case revertedFactor
        /// The emulator's rules when a provider proves the address.
        case emulatedTakeover
        /// The emulator's rules when a password is reset.
        case emulatedReset

        /// Whether the proof ends every session.
        var endsSessions: Bool { if case .ownAddress = self { false } else { true } }
    }

    /// The removed ways to sign in, for messages and answers.
    struct Removed: Sendable, Hashable {
        /// The providers that were unlinked.
        var providers: [String] = []
        var hasPasskeys = false
        var hasPhoneNumber = false
    }

    let kind: Kind
    let scope: Scope
    let time: Timestamp

    /// Applies the proof.
    ///
    /// - Parameter account: The account, still with its old address; the caller stores it.
    @discardableResult
    func apply(to account: inout AccountRecord, in transaction: Transaction) throws -> Removed {
        switch kind {
        case .emulatedTakeover, .emulatedReset: return try emulate(on: &account, in: transaction)
        default: break
        }
        var removed = Removed()
        for rows in OwnedRows.allCases { try end(rows, of: &account, noting: &removed, in: transaction) }
        if provesAddress {
            account.emailVerified = true
            account.emailProvenAt = max(time, account.emailProvenAt ?? time)
        }
        return removed
    }

    private func end(
        _ rows: OwnedRows,
        of account: inout AccountRecord,
        noting removed: inout Removed,
        in transaction: Transaction
    ) throws {
        let (localID, first) = (account.localID, firstNew(of: account))
        switch rows {
        case .account:
            account.endProofs()
            endWays(of: &account, since: first, noting: &removed)
            if kind.endsSessions { account.endTokens(at: time) }
        case .throttles: try endCounts(of: account, in: transaction)
        case .oobCodes: try endCodes(of: account, in: transaction)
        case .identities:
            guard let first else { return }
            removed.providers = try transaction.identities(scope, localID: localID)
                .filter { ($0.linkedAt ?? first) >= first }.map(\.providerID)
            try transaction.deleteIdentities(scope, localID: localID, linkedSince: first)
        case .passkeys:
            guard let first else { return }
            removed.hasPasskeys = try transaction.passkeys(scope, localID: localID).contains { $0.createdAt >= first }
            try transaction.deletePasskeys(scope, localID: localID, createdSince: first)
        case .sessions:
            if kind.endsSessions { try transaction.revokeSessions(scope, localID: localID, at: time) }
        case .smsCodes, .importDigests, .auditEvents: break
        }
    }

    private func endCodes(of account: AccountRecord, in transaction: Transaction) throws {
        try transaction.deleteOOBCodes(scope, boundTo: account, keeping: keptCodes)
        guard case .recovery(let code, _, _, _) = kind else { return }
        // A notice to the account's present address says nothing about other addresses, so it ends no way back to those.
        let isNotice = code.newEmail == nil && account.email == code.email
        try transaction.deleteWaysBack(scope, localID: account.localID, overtakenBy: code, sparesNewer: isNotice)
    }

    // What is stored with the account itself.
    private func endWays(of account: inout AccountRecord, since first: Timestamp?, noting removed: inout Removed) {
        // A number of unknown age counts as new.
        if let first, account.phoneNumber != nil, (account.phoneAddedAt ?? first) >= first {
            account.phoneNumber = nil
            removed.hasPhoneNumber = true
        }
        switch kind {
        case .takeover:
            account.losePassword()
            account.hasEmailLinkSignIn = false
            account.initialEmail = nil
            account.secondFactors = account.factorsAfterTakeover
        case .recovery(_, _, let factorsSince, let endsPassword):
            if endsPassword { account.losePassword() }
            if let factorsSince { account.secondFactors.removeAll { $0.enrolledAt >= factorsSince } }
        default: break
        }
    }

    private func endCounts(of account: AccountRecord, in transaction: Transaction) throws {
        let ended = AccountBucket.Kind.allCases.filter { kind.ends($0, leavingFactors: !account.secondFactors.isEmpty) }
        try transaction.deleteThrottles(scope, localID: account.localID, prefixes: ended.map(\.rawValue))
        // Who uses up the notices of an address must not keep its owner from adding something once they are back.
        guard kind.ends(.changes, leavingFactors: false) else { return }
        var addresses = [account.email]
        if case .recovery(let code, _, _, _) = kind { addresses.append(code.email) }
        for email in Set(addresses.compactMap(\.self)).sorted() {
            for bucket in [ThrottleBucket.notices(to: email), ThrottleBucket.passwordNotices(to: email)] {
                try transaction.resetThrottle(scope, bucket: bucket)
            }
        }
    }

    // Codes that lead back to a proven address belong to its owner and live until they expire. A recovery ends some of them
    // itself.
    private var keptCodes: [OOBRequestType] {
        switch kind {
        case .change, .reset, .revertedFactor, .recovery: [.recoverEmail, .revertSecondFactorAddition]
        default: []
        }
    }

    private var provesAddress: Bool { if case .revertedFactor = kind { false } else { true } }

    // Ways to sign in added at this time or later are removed. Those as old as the last proof came with it and stay.
    private func firstNew(of account: AccountRecord) -> Timestamp? {
        switch kind {
        case .takeover: .distantPast
        case .recovery(_, let waysSince, _, _): waysSince
        case .reset: account.hasProvenAddress ? account.emailProvenAt?.next ?? .distantPast : .distantPast
        default: nil
        }
    }
}

extension Timestamp {
    static let distantPast = Timestamp(milliseconds: .min)

    /// The next moment that can be told from this one.
    var next: Timestamp { advanced(by: .milliseconds(1)) }
}

extension AccountRecord {
    /// Whether the account's address is proven.
    var hasProvenAddress: Bool { email != nil && emailVerified == true }

    /// Whether the account has a proven address, or had one that its user removed. Then a session does not suffice to set another
    /// one.
    var hadProvenAddress: Bool { hasProvenAddress || emailProvenAt != nil }

    /// Whether no takeover makes the account that of its address's owner: custom tokens come from the project's own server, which hears
    /// nothing of the proof, and a disabled account stays disabled. Such an account gives up an address that it never proved (threat
    /// cases LNK-17 and LNK-18).
    var outlivesTakeover: Bool { (hasCustomAuth || isDisabled) && !hasProvenAddress }

    /// The second factors that stay when a mailbox or a provider proves the account's address for the first time.
    var factorsAfterTakeover: [SecondFactor] {
        hadProvenAddress ? secondFactors : secondFactors.filter(\.outlivesTakeover)
    }

    /// The time to store for an addition: always after the last proof, even if another node's clock wrote that.
    func timeOfAddition(_ time: Timestamp) -> Timestamp { emailProvenAt.map { max(time, $0.next) } ?? time }

    mutating func losePassword() {
        passwordHash = nil
        passwordUpdatedAt = nil
        passwordGeneration = nil
    }

    /// Sets a phone number; a number that the account already has keeps its age.
    mutating func take(phoneNumber number: String, at time: Timestamp) {
        guard phoneNumber != number else { return }
        phoneNumber = number
        phoneAddedAt = timeOfAddition(time)
    }

    /// Records a trusted statement whether the address is the user's. A proof belongs to an address: about an account without one the
    /// statement says nothing, and only the flag is kept (threat case LNK-20).
    mutating func vouch(forAddress isVerified: Bool, at time: Timestamp) {
        emailVerified = isVerified
        guard email != nil else { return }
        if isVerified { emailProvenAt = emailProvenAt ?? time } else { forgetAddressProof() }
    }

    /// Forgets that an address was proven. The second factors stay also when somebody else's mailbox proves the next one.
    mutating func forgetAddressProof() {
        if hadProvenAddress { for index in secondFactors.indices { secondFactors[index].outlivesTakeover = true } }
        emailProvenAt = nil
    }
}

extension Transaction {
    /// Deletes the pending changes of an account's address when its sessions end, including those of the same second.
    func forgetAddressChanges(of account: AccountRecord, _ scope: Scope) throws {
        let kept = OOBRequestType.allCases.filter { $0 != .verifyAndChangeEmail }
        try deleteOOBCodes(scope, boundTo: account, keeping: kept)
    }

    /// Takes an address from an account that never proved it, so that its owner can have it back. Sessions and pending codes end.
    func releaseAddress(of holder: AccountRecord, _ stamp: ChangeStamp) throws {
        let (scope, time) = (stamp.scope, stamp.time)
        var edit = try AccountEdit(of: holder, stamp, in: self)
        try deleteOOBCodes(scope, boundTo: holder)
        var account = holder
        if account.initialEmail == account.email { account.initialEmail = nil }
        account.email = nil
        account.emailVerified = nil
        account.hasEmailLinkSignIn = false
        account.endProofs()
        account.endTokens(at: time)
        try revokeSessions(scope, localID: account.localID, at: time)
        try updateAccount(scope, account)
        edit.account = account
        try edit.record(as: .releaseEmail, revokesSessions: true)
    }

    /// Whether an account is still anonymous: it never had anything by which its user could sign in again.
    ///
    /// A token cannot decide this, because it may be older than a later addition (threat case LNK-16).
    func isAnonymous(_ account: AccountRecord, _ scope: Scope) throws -> Bool {
        try account.rowIsAnonymous && identities(scope, localID: account.localID).isEmpty
            && passkeys(scope, localID: account.localID).isEmpty
    }

    /// The ids of those accounts that are still anonymous, see ``isAnonymous(_:_:)``.
    func anonymous(_ accounts: [AccountRecord], _ scope: Scope) throws -> Set<String> {
        let candidates = accounts.filter(\.rowIsAnonymous).map(\.localID)
        let identities = try identities(scope, localIDs: candidates)
        let left = candidates.filter { identities[$0] == nil }
        return Set(left).subtracting(try passkeyHolders(scope, localIDs: left))
    }
}

extension AccountRecord {
    // Identities and passkeys have rows of their own.
    fileprivate var rowIsAnonymous: Bool {
        email == nil && emailProvenAt == nil && phoneNumber == nil && passwordHash == nil && !hasCustomAuth
    }
}
