import Project
import Storage
import Tokens

/// The call, time and id of a change. They are drawn before its transaction, which may run twice.
struct ChangeStamp: Sendable {
    /// The call that asks for the change, in the scope of the account.
    let context: CallContext
    var time: Timestamp
    /// The id of the audit record, from which the ids of the events are made.
    let eventID: String
    fileprivate let events: EventOutbox
    fileprivate let sealer: TokenSealer

    var scope: Scope { context.scope }

    /// Whether events are written.
    var notesEvents: Bool { events.isOn }

    /// What the audit record says of the account's change.
    var changes: AuditedChanges { AuditedChanges(scope: scope, sealer: sealer) }

    /// Writes the audit record and the events of the change.
    ///
    /// - Parameters:
    ///   - account: The account after the change, or before its deletion.
    ///   - detail: Further facts for the audit record, never secrets.
    func record(
        _ kind: AuditEvent.Kind,
        _ happened: [AccountEvent],
        of account: AccountRecord,
        detail: JSONValue? = nil,
        in transaction: Transaction
    ) throws {
        let audit = context.auditEvent(kind, of: account.localID, detail, id: eventID, at: time)
        try transaction.insertAuditEvent(scope, audit)
        try events.note(happened, of: account, scope, eventID: eventID, at: time, in: transaction)
    }
}

extension ChangeStamp {
    /// Writes the audit record of a change that concerns no account.
    func record(_ kind: AuditEvent.Kind, _ detail: JSONValue? = nil, in transaction: Transaction) throws {
        try transaction.insertAuditEvent(scope, context.auditEvent(kind, of: nil, detail, id: eventID, at: time))
    }
}

/// Stamps the changes of accounts and operators, and starts the delivery of accounts' events.
struct ChangeLog: Sendable {
    let environment: ServerEnvironment
    let sealer: TokenSealer
    let events: EventOutbox

    /// Draws the time and id of a change.
    func stamp(_ context: CallContext, at time: Timestamp? = nil) -> ChangeStamp {
        ChangeStamp(
            context: context,
            time: time ?? environment.now(),
            eventID: environment.newEventID(),
            events: events,
            sealer: sealer
        )
    }

    /// Starts the delivery of committed events.
    func wake() { events.wake() }
}
