package import Project

/// Selects a part of the audit trail.
package struct AuditFilter: Sendable, Hashable {
    /// Only events since this time.
    package var since: Timestamp?
    /// Only events of this account.
    package var localID: String?
    /// Only this kind of event.
    package var event: String?
    /// Only what comes behind this event in the list.
    package var after: Place?
    /// The largest number of events.
    package var limit: Int

    /// A place in the list: the event that has it.
    package struct Place: Sendable, Hashable {
        let occurredAt: Timestamp
        let eventID: String
    }

    package init(since: Timestamp? = nil, localID: String? = nil, event: String? = nil, after: Place? = nil, limit: Int) {
        self.since = since
        self.localID = localID
        self.event = event
        self.after = after
        self.limit = limit
    }
}

extension AuditFilter {
    /// The condition for the events of an account. Its text is that of an index, with which no other index begins, so that no planner can
    /// read the events of other accounts for it. Neither project nor tenant ids contain a slash.
    static func account(_ localID: String, in scope: Scope) -> SQL {
        """
        project_id || '/' || tenant_id || '/' || local_id = \("\(scope.projectID)/\(scope.tenantKey)/\(localID)")
            AND local_id IS NOT NULL
        """
    }

    /// The condition for the events of a kind, which is the text of an index in the same way.
    private static func kind(_ event: String, in scope: Scope) -> SQL {
        "project_id || '/' || tenant_id || '/' || event = \("\(scope.projectID)/\(scope.tenantKey)/\(event)")"
    }

    fileprivate func conditions(in scope: Scope) -> SQL {
        switch (localID, event) {
        case (let localID?, nil): Self.account(localID, in: scope)
        case (let localID?, let event?): "\(sql: Self.account(localID, in: scope)) AND event = \(event)"
        case (nil, let event?): Self.kind(event, in: scope)
        case (nil, nil): "\(scope)"
        }
    }
}

extension Transaction {
    /// The latest events of a scope that match a filter.
    package func auditEvents(_ scope: Scope, _ filter: AuditFilter) throws -> [AuditEvent] {
        var conditions = filter.conditions(in: scope)
        if let since = filter.since { conditions = "\(sql: conditions) AND occurred_at >= \(since)" }
        if let after = filter.after {
            let time = after.occurredAt.milliseconds
            // The first half is a range of an index.
            conditions = """
                \(sql: conditions) AND occurred_at <= \(time) AND (occurred_at < \(time) OR event_id < \(after.eventID))
                """
        }
        return try query(
            """
            SELECT event_id, occurred_at, event, local_id, actor, address, detail, repeats, last_at FROM audit_events
            WHERE \(sql: conditions) ORDER BY occurred_at DESC, event_id DESC LIMIT \(filter.limit)
            """
        ).map(AuditEvent.init(row:))
    }
}

extension Transaction {
    /// The place of an event in the list of its scope; `nil` when there is no such event.
    package func placeOfAuditEvent(_ scope: Scope, eventID: String) throws -> AuditFilter.Place? {
        try queryOne(
            """
            SELECT occurred_at FROM audit_events
            WHERE event_id = \(eventID) AND \(unindexed: scope)
            """
        ).map { AuditFilter.Place(occurredAt: try $0.timestamp("occurred_at"), eventID: eventID) }
    }
}
