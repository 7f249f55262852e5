package import Project

extension CallContext {
    /// Makes the audit record of an action.
    ///
    /// - Parameters:
    ///   - detail: Further facts, never secrets.
    ///   - id: The record's own id, drawn before the transaction.
    package func auditEvent(
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

    /// Makes the audit record of an action of this moment. It draws the id, so it is made before a transaction, which may run twice.
    package func auditEvent(
        _ kind: AuditEvent.Kind,
        of localID: String? = nil,
        _ detail: JSONValue? = nil,
        by environment: ServerEnvironment,
        at time: Timestamp? = nil
    ) -> AuditEvent {
        auditEvent(kind, of: localID, detail, id: environment.newEventID(), at: time ?? environment.now())
    }
}
