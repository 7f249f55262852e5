package import Project

/// One thing that happened to an account or to the configuration. Never carries a token, code, nonce or secret.
package struct AuditEvent: Sendable, Hashable {
    package let eventID: String
    package let occurredAt: Timestamp
    /// `signIn`, `signUp`, `link`, `unlink`, `update`, `delete`, `refused`…
    package let event: String
    package let localID: String?
    /// Who did it: `user`, `cli`, `owner`, `admin.token`, `admin-token:NAME`, `service-account:EMAIL`.
    package let actor: String
    /// The address of the client.
    package let address: String?
    /// What else there is to know, as a JSON object.
    package let detail: JSONValue?

    package init(
        eventID: String,
        occurredAt: Timestamp,
        event: String,
        localID: String?,
        actor: String,
        address: String?,
        detail: JSONValue? = nil
    ) {
        self.eventID = eventID
        self.occurredAt = occurredAt
        self.event = event
        self.localID = localID
        self.actor = actor
        self.address = address
        self.detail = detail
    }
}

extension Transaction {
    /// Appends an event to the audit trail.
    package func insertAuditEvent(_ scope: Scope, _ event: AuditEvent) throws {
        try execute(
            """
            INSERT INTO audit_events
                (event_id, project_id, tenant_id, occurred_at, event, local_id, actor, address, detail)
            VALUES (\(event.eventID), \(scope.projectID), \(scope.tenantKey), \(event.occurredAt.milliseconds), \(event.event),
                \(event.localID), \(event.actor), \(event.address), \(event.detail?.text))
            """
        )
    }

    /// Forgets events that are older than they need to be kept, in one small batch.
    ///
    /// - Returns: How many were forgotten.
    /// - Throws: `StorageError`.
    package func deleteAuditEvents(before time: Timestamp, limit: Int) throws -> Int {
        try execute(
            """
            DELETE FROM audit_events WHERE event_id IN (
                SELECT event_id FROM audit_events
                WHERE occurred_at < \(time.milliseconds) ORDER BY occurred_at LIMIT \(limit))
            """
        )
    }
}
