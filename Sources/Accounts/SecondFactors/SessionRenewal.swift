import Project
import Storage
import Tokens

/// Gives the caller a new session in the place of the one behind its ID token, after its ways in have changed.
package struct SessionRenewal: Sendable {
    private let mint: SessionMint
    private let events: EventOutbox
    private let throttle: Throttle

    package init(mint: SessionMint, events: EventOutbox, throttle: Throttle) {
        self.mint = mint
        self.events = events
        self.throttle = throttle
    }

    /// What is drawn before the transaction.
    struct Draft: Sendable {
        let session: SessionMint.Draft
        let eventID: String
        let time: Timestamp
    }

    /// Draws what is random.
    func draft(_ environment: ServerEnvironment) -> Draft {
        Draft(session: mint.draft(), eventID: environment.newEventID(), time: environment.now())
    }

    /// Stores a changed account, the new session, and the audit record of the change.
    ///
    /// - Parameters:
    ///   - draft: What was drawn.
    ///   - token: The caller's token; the session goes on as old as it is.
    ///   - account: The account as it is to be stored.
    ///   - provider: `firebase.sign_in_provider`; the token's unless said.
    ///   - secondFactor: The second factor of the session.
    ///   - event: What happened.
    ///   - noted: The same as the web hook is told.
    ///   - context: The call, in the scope of the account.
    ///   - transaction: Where to store it.
    /// - Returns: What the tokens speak of.
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

    /// Has the events of a committed change delivered, and mints the tokens of its session.
    func complete(_ subject: IDTokenSubject, _ draft: Draft) throws -> IssuedTokens {
        events.wake()
        return try mint.tokens(subject, refreshToken: draft.session.refreshToken, at: draft.time)
    }
}
