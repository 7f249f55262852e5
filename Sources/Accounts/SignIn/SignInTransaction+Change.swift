import Federation
import Project
import Storage

extension SignInPipeline.SignInTransaction {
    /// What a sign-in stores.
    struct SignInChange: Sendable {
        /// What the account was before.
        enum Origin: Sendable {
            /// The account is new.
            case created
            /// The account is stored in the same state; only its times of sign-in change.
            case unchanged
            case changed(from: AccountRecord)
        }

        /// The account as it shall be.
        var account: AccountRecord
        /// What the audit trail compares ``account`` with: the account before the change, a new one before functions have answered.
        var compared: AccountRecord?
        var origin: Origin
        /// The provider's identity. It is used up, and becomes an identity of the account.
        var identity: VerifiedIdentity?
        /// The account's identities before the change, where the change has removed some.
        var identitiesBefore: [IdentityRecord]?
        /// Whether another identity of the same provider is replaced.
        var isEmailRecycled = false
        /// Whether the change ends the account's sessions.
        var revokesSessions = false
        /// The second factor of the new session.
        var secondFactor: UsedSecondFactor?

        var isNew: Bool { if case .created = origin { true } else { false } }

        /// The stored account that the change replaces; `nil` when it replaces none.
        var replaced: AccountRecord? { if case .changed(let old) = origin { old } else { nil } }
    }

    /// What follows once the account of a sign-in is stored.
    enum NextStep: Sendable {
        /// A session begins.
        case session
        /// The user must prove a second factor.
        case secondFactor
        /// The function of `beforeSignIn` must be asked.
        case function
        /// A function has disabled the account, so its user is refused.
        case refusal

        /// Decides what follows.
        ///
        /// - Parameter account: The account, with the answers of functions applied.
        init(after account: AccountRecord, _ proof: SignInProof, _ mfa: MFAPolicy, beforeSignIn: Asked) {
            if account.isDisabled {
                self = .refusal
            } else if proof.leadsToSecondFactor, mfa.demandsSecondFactor(of: account) {
                self = .secondFactor
            } else if case .later = beforeSignIn {
                self = .function
            } else {
                self = .session
            }
        }
    }

    /// A stored sign-in.
    struct StoredSignIn: Sendable {
        /// How far the sign-in has come.
        enum Stage: Sendable {
            /// The session is stored.
            case session(SessionRecord)
            /// The session waits for the second factor, and so does what the first one proved, if the account takes that over.
            case secondFactor(PostponedProof?)
            /// The session waits for `beforeSignIn`.
            case function
        }

        let view: AccountView
        let isNewUser: Bool
        let isEmailRecycled: Bool
        /// Whether the user was not seen before on this day.
        var isFirstOfDay = false
        let stage: Stage
    }
}
