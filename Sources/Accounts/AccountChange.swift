import Federation
import Project
import Storage

/// What a decision makes of an account: pure, so that a transaction may run it twice.
enum AccountChange {
    /// Case B: a new account from a provider's profile. With several accounts per e-mail, the address stays with the identity.
    static func created(
        _ identity: VerifiedIdentity,
        localID: String,
        policy: SignInPolicy,
        at time: Timestamp
    ) -> AccountRecord {
        var account = AccountRecord(localID: localID, createdAt: time)
        takeProfile(of: identity, &account)
        if !policy.allowsDuplicateEmails, let email = identity.email {
            account.email = email
            account.emailVerified = identity.isEmailVerified
        }
        return account
    }

    /// Case C: the profile becomes the provider's, the address verified; an unproven owner loses every method and session.
    static func takenOver(
        _ owner: AccountRecord,
        by identity: VerifiedIdentity,
        wiping: Bool,
        at time: Timestamp
    ) -> AccountRecord {
        var account = owner
        if wiping { account.loseUnprovenMethods(at: time) }
        takeProfile(of: identity, &account)
        account.emailVerified = true
        return account
    }

    /// Link: an account without an address takes the identity's; a verified equal address proves the account's.
    static func linked(_ account: AccountRecord, to identity: VerifiedIdentity, policy: SignInPolicy) -> AccountRecord {
        var account = account
        if !policy.allowsDuplicateEmails, account.email == nil, let email = identity.email {
            account.email = email
            account.emailVerified = identity.isEmailVerified
        } else if identity.isEmailVerified, identity.email == account.email {
            account.emailVerified = true
        }
        // Apple gives the name once, with the first authorization; it must not be lost when that is a link.
        if identity.providerID == "apple.com", account.displayName == nil { account.displayName = identity.displayName }
        return account
    }

    private static func takeProfile(of identity: VerifiedIdentity, _ account: inout AccountRecord) {
        account.displayName = identity.displayName
        account.photoURL = identity.photoURL
        account.screenName = identity.screenName
        account.language = identity.language
        account.timeZone = identity.timeZone
        account.dateOfBirth = identity.dateOfBirth
    }
}

extension AccountRecord {
    /// Whoever planted the account before its address was proven loses every way in that the account itself holds.
    mutating func loseUnprovenMethods(at time: Timestamp) {
        passwordHash = nil
        passwordUpdatedAt = nil
        phoneNumber = nil
        initialEmail = nil
        hasEmailLinkSignIn = false
        endTokens(at: time)
    }
}

extension Transaction {
    /// Whoever planted an account before its address was proven loses every way in that is kept beside it (threat cases LNK-01
    /// and LNK-02).
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - scope: Its scope.
    ///   - keepsProviders: Whether identities and pending changes of the address stay, as in the emulator.
    ///   - time: When its sessions end.
    /// - Throws: `StorageError`.
    func loseUnprovenMethods(of account: AccountRecord, _ scope: Scope, keepsProviders: Bool, at time: Timestamp) throws {
        if !keepsProviders {
            try deleteAllIdentities(scope, localID: account.localID)
            try forgetAddressChanges(of: account, scope)
        }
        try deleteAllPasskeys(scope, localID: account.localID)
        try revokeSessions(scope, localID: account.localID, at: time)
    }
}
