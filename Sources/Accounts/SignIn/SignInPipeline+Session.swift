import Project
import Storage

// The session of a sign-in and the events for the web hook.
extension SignInPipeline.Apply {
    /// Begins the session.
    func begin(
        _ account: AccountRecord,
        attributes: JSONValue?,
        claims: String?,
        secondFactor: UsedSecondFactor?,
        eventID: String,
        in transaction: any Transaction
    ) throws -> SessionRecord {
        let event = AccountEvent.signedIn(provider: proof.signInProvider, secondFactor: secondFactor?.kind)
        try events.note([event], of: account, scope, eventID: eventID, at: draft.time, in: transaction)
        var terms = SessionMint.Terms(provider: proof.signInProvider)
        terms.attributes = attributes
        terms.claims = claims
        terms.secondFactor = secondFactor
        return try mint.begin(draft.session, of: account, terms, context: context, at: draft.time, in: transaction)
    }

    /// Writes the web hook's events about the account itself.
    func note(
        _ account: AccountRecord,
        _ identities: [IdentityRecord],
        replacing old: (account: AccountRecord, identities: [IdentityRecord])?,
        revokesSessions: Bool,
        in transaction: any Transaction
    ) throws {
        var noted: [AccountEvent] = [.created]
        if let old {
            var old = old
            // A rehashed password is not a new password.
            if case .password = proof.method { old.account.passwordHash = account.passwordHash }
            noted = AccountEvent.changes(from: old, to: (account, identities), revokesSessions: revokesSessions)
        }
        try events.note(noted, of: account, scope, eventID: draft.eventID, at: draft.time, in: transaction)
    }
}
