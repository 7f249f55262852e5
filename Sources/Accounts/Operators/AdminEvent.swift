import Project
import Storage

extension CallContext {
    /// Makes the audit record of an action.
    ///
    /// - Parameters:
    ///   - kind: The action.
    ///   - localID: The account acted on, if any.
    ///   - detail: Further facts, never secrets.
    ///   - id: The record's own id, drawn before the transaction.
    ///   - time: Now.
    /// - Returns: The record.
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
