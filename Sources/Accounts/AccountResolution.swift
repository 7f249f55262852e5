package import Federation
package import Project
package import Storage

/// Decides which account an identity belongs to (`contract/client-accounts.md` §5.6). Pure: reads nothing, writes nothing.
package enum AccountResolution {
    /// What the store knows that bears on the decision.
    package struct Matches: Sendable {
        /// The account that holds the provider's user.
        package var holder: AccountRecord?
        /// The account that owns the identity's e-mail.
        package var emailOwner: AccountRecord?
        /// The identities of ``emailOwner``.
        package var emailOwnerIdentities: [IdentityRecord] = []

        package init(
            holder: AccountRecord? = nil,
            emailOwner: AccountRecord? = nil,
            emailOwnerIdentities: [IdentityRecord] = []
        ) {
            self.holder = holder
            self.emailOwner = emailOwner
            self.emailOwnerIdentities = emailOwnerIdentities
        }
    }

    /// What is to be done.
    package enum Decision: Sendable, Equatable {
        /// Case A: the account holds the identity already.
        case signIn(AccountRecord)
        /// Case B.
        case create
        /// Case C: the provider vouches for the e-mail, so its user is given the account.
        case takeOver(AccountRecord, recyclesIdentity: Bool, wipesOtherMethods: Bool)
        /// Case D: nobody vouches for the e-mail; the user must first sign in by one of `providers`.
        case confirm(AccountRecord, providers: [String])
        /// Link to the signed-in account.
        case link(AccountRecord)
        /// The client is told this code.
        case refuse(ErrorCode)
    }

    /// Decides about a sign-in.
    ///
    /// - Parameters:
    ///   - identity: Who the provider says it is.
    ///   - matches: What the store knows.
    ///   - policy: The scope's rules.
    ///   - autoCreate: `false` never creates an account.
    /// - Returns: What is to be done.
    package static func decideSignIn(
        _ identity: VerifiedIdentity,
        matches: Matches,
        policy: SignInPolicy,
        autoCreate: Bool
    ) -> Decision {
        if let holder = matches.holder { return .signIn(holder) }
        if let owner = matches.emailOwner, !policy.allowsDuplicateEmails {
            guard identity.isEmailVerified else {
                return .confirm(owner, providers: matches.emailOwnerIdentities.map(\.providerID))
            }
            return .takeOver(
                owner,
                recyclesIdentity: matches.emailOwnerIdentities.contains { $0.providerID == identity.providerID },
                // Whoever planted this account could not prove the address; nothing they set up survives (LNK-01, LNK-02).
                wipesOtherMethods: owner.emailVerified != true
            )
        }
        guard autoCreate else { return .refuse(.userNotFound) }
        return policy.disablesUserSignUp ? .refuse(.adminOnlyOperation) : .create
    }

    /// Decides about linking an identity to a signed-in account.
    ///
    /// - Parameters:
    ///   - identity: Who the provider says it is.
    ///   - account: The signed-in account.
    ///   - matches: What the store knows.
    ///   - policy: The scope's rules.
    /// - Returns: What is to be done.
    package static func decideLink(
        _ identity: VerifiedIdentity,
        to account: AccountRecord,
        matches: Matches,
        policy: SignInPolicy
    ) -> Decision {
        if matches.holder != nil { return .refuse(.federatedUserIDAlreadyLinked) }
        if !policy.allowsDuplicateEmails, let owner = matches.emailOwner, owner.localID != account.localID {
            return .refuse(.emailExists)
        }
        return .link(account)
    }
}
