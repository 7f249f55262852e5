import Federation
import Project
import Storage

/// What a decision changes in an account. Pure, so that a transaction may run it twice.
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

    /// Case C: the account takes the provider's profile, and its address counts as verified.
    static func takenOver(_ owner: AccountRecord, by identity: VerifiedIdentity) -> AccountRecord {
        var account = owner
        takeProfile(of: identity, &account)
        account.emailVerified = true
        return account
    }

    /// Links an identity: an account without an address takes the identity's; a verified equal address verifies the account's. An
    /// account whose proven address was removed takes no address from a link; its user proves a new one
    /// (`Docs/Contract/rulings.md` 36).
    static func linked(_ account: AccountRecord, to identity: VerifiedIdentity, policy: SignInPolicy) -> AccountRecord {
        var account = account
        let mayTakeAddress = !policy.proofsEndUnprovenCredentials || !account.hadProvenAddress
        if !policy.allowsDuplicateEmails, account.email == nil, mayTakeAddress, let email = identity.email {
            account.email = email
            account.emailVerified = identity.isEmailVerified
        } else if identity.isEmailVerified, identity.email != nil, identity.email == account.email {
            account.emailVerified = true
        }
        // Some providers send the name only with the first authorization, which may be a link.
        if account.displayName == nil, Providers.facts(of: identity.providerID)?.givesNameOnce == true {
            account.displayName = identity.displayName
        }
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
