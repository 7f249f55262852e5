import Project
import Storage
import Tokens

/// Gives the caller a new session after a change of its ways to sign in, in place of the session behind its ID token.
package struct SessionRenewal: Sendable {
    let throttle: Throttle
    let changeLog: ChangeLog
    let mint: SessionMint

    /// The values drawn before the transaction.
    struct Draft: Sendable {
        let session: SessionMint.Draft
        let stamp: ChangeStamp

        var time: Timestamp { stamp.time }
    }

    /// A change of the ways to sign in that the account's user makes.
    struct SignInMethodChange: Sendable {
        /// The caller's token, whose sign-in time the new session keeps.
        let token: VerifiedIDToken
        /// The account to store.
        var account: AccountRecord
        /// What the audit record says.
        let kind: AuditEvent.Kind
        /// The events for the web hook.
        var events: [AccountEvent] = []
        /// `firebase.sign_in_provider` of the new session; `nil` for the token's.
        var provider: String?
        /// The second factor of the new session.
        var secondFactor: UsedSecondFactor?
        /// Whether the change removes something, which no count refuses.
        var isRemoval = false
    }

    /// Draws the random values.
    func draft(_ context: CallContext) -> Draft { Draft(session: mint.draft(), stamp: changeLog.stamp(context)) }

    /// Stores a changed account, the new session, and the audit record of the change.
    ///
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER` for an addition.
    func store(_ change: SignInMethodChange, _ draft: Draft, in transaction: Transaction) throws -> IDTokenSubject {
        let (token, context) = (change.token, draft.stamp.context)
        var account = change.account
        if !change.isRemoval {
            try throttle.count(additionTo: account.localID, by: token, context: context, at: draft.time, in: transaction)
        }
        account.lastRefreshAt = draft.time
        try transaction.updateAccount(token.scope, account)
        var terms = SessionMint.Terms(continuing: token, claims: try token.sessionClaims(in: transaction))
        terms.provider = change.provider ?? token.signInProvider
        terms.secondFactor = change.secondFactor
        let session = try mint.begin(
            draft.session,
            of: account,
            terms,
            context: context,
            at: draft.time,
            in: transaction
        )
        try draft.stamp.record(change.kind, change.events, of: account, in: transaction)
        return IDTokenSubject(
            scope: token.scope,
            account: account,
            identities: try transaction.identities(token.scope, localID: account.localID),
            session: session
        )
    }

    /// Starts the delivery of the committed events, and mints the tokens of the session.
    func complete(_ subject: IDTokenSubject, _ draft: Draft) throws -> IssuedTokens {
        changeLog.wake()
        return try mint.tokens(subject, refreshToken: draft.session.refreshToken, at: draft.time)
    }
}
