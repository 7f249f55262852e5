package import Project

/// Selects a part of the audit trail.
package struct AuditFilter: Sendable, Hashable {
    /// Only events since this time.
    package var since: Timestamp?
    /// Only events of this account.
    package var localID: String?
    /// Only this kind of event.
    package var event: String?
    /// The largest number of events.
    package var limit: Int

    package init(since: Timestamp? = nil, localID: String? = nil, event: String? = nil, limit: Int) {
        self.since = since
        self.localID = localID
        self.event = event
        self.limit = limit
    }
}

extension Transaction {
    /// The latest events of a scope that match a filter.
    ///
    /// - Returns: The events, the latest first.
    /// - Throws: `StorageError`.
    package func auditEvents(_ scope: Scope, _ filter: AuditFilter) throws -> [AuditEvent] {
        var conditions: SQL = "project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey)"
        if let since = filter.since { conditions = "\(sql: conditions) AND occurred_at >= \(since.milliseconds)" }
        if let localID = filter.localID { conditions = "\(sql: conditions) AND local_id = \(localID)" }
        if let event = filter.event { conditions = "\(sql: conditions) AND event = \(event)" }
        return try query(
            """
            SELECT event_id, occurred_at, event, local_id, actor, address, detail, repeats, last_at FROM audit_events
            WHERE \(sql: conditions) ORDER BY occurred_at DESC, event_id DESC LIMIT \(filter.limit)
            """
        ).map(AuditEvent.init(row:))
    }
}

extension AuditEvent {
    init(row: Row) throws {
        self.init(
            eventID: try row.text("event_id"),
            occurredAt: try row.timestamp("occurred_at"),
            event: try row.text("event"),
            localID: try row.textIfPresent("local_id"),
            actor: try row.text("actor"),
            address: try row.textIfPresent("address"),
            detail: try row.textIfPresent("detail").flatMap { try? JSONValue.parse($0.utf8) }
        )
        repeats = try row.integer("repeats")
        lastAt = try row.timestampIfPresent("last_at")
    }
}
