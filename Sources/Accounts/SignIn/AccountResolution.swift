package import Federation
package import Project
package import Storage

/// Decides which account an identity belongs to (`Docs/Contract/client-accounts.md` §5.6). Pure: reads nothing, writes nothing.
package enum AccountResolution {
    /// The stored facts that the decision needs.
    package struct Matches: Sendable {
        /// The account that holds the provider's user.
        package var holder: AccountRecord?
        /// The account that owns the identity's e-mail.
        package var emailOwner: AccountRecord?
        /// The identities of ``emailOwner``.
        package var emailOwnerIdentities: [IdentityRecord] = []
    }

    /// What happens to the identity.
    package enum Decision: Sendable, Equatable {
        /// Case A: the account holds the identity already.
        case signIn(AccountRecord)
        /// Case B: a new account is created.
        case create
        /// Case C: the provider vouches for the e-mail, so the identity takes over the account that owns it.
        case takeOver(AccountRecord, recyclesIdentity: Bool, wipesOtherMethods: Bool)
        /// Case C where no takeover makes the account the owner's: the account that has the e-mail gives it up, and a new one is created.
        case replace(AccountRecord)
        /// Case D: the provider does not vouch for the e-mail; the user must first sign in by one of `providers`.
        case confirm(AccountRecord, providers: [String])
        /// The identity is linked to the signed-in account. `replaces` is the account that gives the identity's e-mail up before.
        case link(AccountRecord, replaces: AccountRecord? = nil)
        /// The client receives this error code. `heldBy` is the account that has what was to be linked.
        case refuse(ErrorCode, heldBy: String? = nil)
    }

    package static func decideSignIn(
        _ identity: VerifiedIdentity,
        matches: Matches,
        policy: SignInPolicy,
        autoCreate: Bool
    ) -> Decision {
        if let holder = matches.holder { return .signIn(holder) }
        let owner = policy.allowsDuplicateEmails ? nil : matches.emailOwner
        if let owner {
            guard identity.isEmailVerified else {
                return .confirm(owner, providers: matches.emailOwnerIdentities.map(\.providerID))
            }
            guard policy.proofsEndUnprovenCredentials, owner.outlivesTakeover else {
                return .takeOver(
                    owner,
                    recyclesIdentity: matches.emailOwnerIdentities.contains { $0.providerID == identity.providerID },
                    // An unverified owner did not prove the address, so none of their sign-in methods survives (LNK-01, LNK-02).
                    wipesOtherMethods: owner.emailVerified != true
                )
            }
        }
        guard autoCreate else { return .refuse(.userNotFound) }
        if policy.disablesUserSignUp { return .refuse(.adminOnlyOperation) }
        return owner.map(Decision.replace) ?? .create
    }

    package static func decideLink(
        _ identity: VerifiedIdentity,
        to account: AccountRecord,
        matches: Matches,
        policy: SignInPolicy
    ) -> Decision {
        if let holder = matches.holder { return .refuse(.federatedUserIDAlreadyLinked, heldBy: holder.localID) }
        if !policy.allowsDuplicateEmails, let owner = matches.emailOwner, owner.localID != account.localID {
            // Where a sign-in with the identity would lead to the owner's account, its user must be able to go on to that sign-in.
            guard identity.isEmailVerified, policy.proofsEndUnprovenCredentials, owner.outlivesTakeover else {
                return .refuse(.emailExists, heldBy: owner.localID)
            }
            return .link(account, replaces: owner)
        }
        return .link(account)
    }
}
