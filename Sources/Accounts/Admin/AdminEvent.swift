import Project
import Storage

extension CallContext {
    /// The audit record of something that an administrator did.
    ///
    /// - Parameters:
    ///   - event: What was done.
    ///   - localID: To whom.
    ///   - detail: What else there is to know; never a secret.
    ///   - id: The record's own id, drawn before the transaction.
    ///   - time: Now.
    /// - Returns: The record.
    func auditEvent(
        _ event: String,
        of localID: String?,
        _ detail: JSONValue? = nil,
        id: String,
        at time: Timestamp
    ) -> AuditEvent {
        AuditEvent(
            eventID: id,
            occurredAt: time,
            event: event,
            localID: localID,
            actor: actor,
            address: address,
            detail: detail
        )
    }
}

extension ServerEnvironment {
    /// A fresh id of an audit record.
    func newEventID() -> String { randomText(length: 20) }
}
