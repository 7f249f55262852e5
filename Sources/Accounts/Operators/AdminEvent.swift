import Project
import Storage

extension CallContext {
    /// Makes the audit record of an action.
    ///
    /// - Parameters:
    ///   - kind: The action.
    ///   - detail: Further facts, never secrets.
    ///   - id: The record's own id, drawn before the transaction.
    func auditEvent(
        _ kind: AuditEvent.Kind,
        of localID: String?,
        _ detail: JSONValue? = nil,
        id: String,
        at time: Timestamp
    ) -> AuditEvent {
        AuditEvent(
            eventID: id,
            occurredAt: time,
            event: kind,
            localID: localID,
            actor: actor,
            address: address,
            detail: detail
        )
    }
}
