import Project
import Storage
import Tokens

/// Gives the caller a new session after a change of its ways to sign in, in place of the session behind its ID token.
package struct SessionRenewal: Grounded {
    let ground: Ground
    let mint: SessionMint

    /// The values drawn before the transaction.
    struct Draft: Sendable {
        let session: SessionMint.Draft
        let eventID: String
        let time: Timestamp
    }

    /// Draws the random values.
    func draft(_ environment: ServerEnvironment) -> Draft {
        Draft(session: mint.draft(), eventID: environment.newEventID(), time: environment.now())
    }

    /// Stores a changed account, the new session, and the audit record of the change.
    ///
    /// - Parameters:
    ///   - draft: The drawn values.
    ///   - token: The caller's token, whose sign-in time the new session keeps.
    ///   - account: The account to store.
    ///   - provider: `firebase.sign_in_provider`; by default the token's.
    ///   - secondFactor: The second factor of the session.
    ///   - event: The name of the audit record.
    ///   - noted: The events for the web hook.
    ///   - context: The call, in the scope of the account.
    ///   - transaction: The transaction to store in.
    /// - Returns: The subject of the new tokens.
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`; `StorageError`.
    func store(
        _ draft: Draft,
        of token: VerifiedIDToken,
        _ account: AccountRecord,
        provider: String? = nil,
        secondFactor: UsedSecondFactor?,
        event: String,
        noting noted: [AccountEvent] = [],
        context: CallContext,
        in transaction: any Transaction
    ) throws -> IDTokenSubject {
        try throttle.count(changeOf: account.localID, context: context, at: draft.time, in: transaction)
        var account = account
        account.lastRefreshAt = draft.time
        try transaction.updateAccount(token.scope, account)
        let session = try mint.begin(
            draft.session,
            of: account,
            provider: provider ?? token.signInProvider,
            attributes: token.signInAttributes,
            claims: try token.sessionClaims(in: transaction),
            authTime: token.authTime,
            secondFactor: secondFactor,
            context: context,
            at: draft.time,
            in: transaction
        )
        try transaction.insertAuditEvent(
            token.scope,
            AuditEvent(
                eventID: draft.eventID,
                occurredAt: draft.time,
                event: event,
                localID: account.localID,
                actor: "user",
                address: context.address
            )
        )
        try events.note(noted, of: account, token.scope, eventID: draft.eventID, at: draft.time, in: transaction)
        return IDTokenSubject(
            scope: token.scope,
            account: account,
            identities: try transaction.identities(token.scope, localID: account.localID),
            session: session
        )
    }

    /// Starts the delivery of the committed events, and mints the tokens of the session.
    func complete(_ subject: IDTokenSubject, _ draft: Draft) throws -> IssuedTokens {
        events.wake()
        return try mint.tokens(subject, refreshToken: draft.session.refreshToken, at: draft.time)
    }
}
