import Federation
import Project
import Storage
import Tokens

extension SignInPipeline {
    /// The transaction of the pipeline. It is pure in its inputs, so that it may run twice.
    struct SignInTransaction: Sendable {
        let proof: SignInProof
        let policy: SignInPolicy
        let context: CallContext
        var draft: Draft
        /// Records that another account gave the address up, and says what the sign-in changed.
        let stamp: ChangeStamp
        let recentLogin: RecentLoginRule
        let mint: SessionMint
        let throttle: Throttle
        let events: EventOutbox
        /// Tells owners about changed ways to sign in; `nil` sends no notices.
        let reporter: OOBNotices.Reporter?
        /// The answer of `beforeCreate`, used when an account is created.
        var beforeCreate = Asked.never
        /// The answer of `beforeSignIn`; with `later`, the account is stored without a session.
        var beforeSignIn = Asked.never
        /// The account that ``beforeSignIn`` is the answer about; `nil` before it was asked.
        var askedAbout: String?

        var scope: Scope { context.scope }

        /// Decides what the proof changes, and stores it.
        ///
        /// - Throws: `APIError` for a refusal that undoes the transaction; ``MustAsk``.
        func perform(in transaction: Transaction) throws -> SignInOutcome<StoredSignIn> {
            if let token = proof.linkTo { try RecentLoginRule.checkUser(token) }
            switch proof.method {
            case .anonymous:
                var account = draft.account
                account.secondFactors = proof.secondFactors
                return try store(SignInChange(account: account, origin: .created), in: transaction)
            case .identityProvider(let identity): return try apply(identity, in: transaction)
            case .password(let password): return try apply(password, in: transaction)
            case .newPassword(let password): return try apply(password, in: transaction)
            case .emailLink(let link): return try apply(link, in: transaction)
            case .customToken(let custom): return try apply(custom, in: transaction)
            case .secondFactor(let shown): return try apply(shown, in: transaction)
            case .passkey(let passkey): return try apply(passkey, in: transaction)
            case .phone(let phone): return try apply(phone, in: transaction)
            }
        }

        /// Applies a proof of ownership.
        func end(
            _ kind: OwnershipProof.Kind,
            of account: inout AccountRecord,
            in transaction: Transaction
        ) throws {
            try OwnershipProof(kind: kind, scope: scope, time: draft.time).apply(to: &account, in: transaction)
        }

        /// Takes a never-proven address from an account that would outlive a takeover, so that the account of its owner can have it.
        func release(_ holder: AccountRecord, in transaction: Transaction) throws {
            var stamp = stamp
            stamp.time = draft.time
            try transaction.releaseAddress(of: holder, stamp)
        }
    }
}
