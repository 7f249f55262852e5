package import Project

/// A change of a configuration resource, as it is kept for operators.
package struct ConfigChangeRecord: Sendable, Hashable {
    /// What was done with the resource.
    package enum Action: String, Sendable {
        case created, updated, deleted
    }

    /// The id of the audit record of the same change.
    package let eventID: String
    package let changedAt: Timestamp
    package let kind: ResourceKind
    package let resourceID: String
    package let action: Action
    package let actor: String
    /// What changed: `path`, a list of names, with `before` and `after`, or with a mark in place of values that are not kept.
    package let members: JSONValue

    package init(
        eventID: String,
        changedAt: Timestamp,
        kind: ResourceKind,
        resourceID: String,
        action: Action,
        actor: String,
        members: JSONValue
    ) {
        self.eventID = eventID
        self.changedAt = changedAt
        self.kind = kind
        self.resourceID = resourceID
        self.action = action
        self.actor = actor
        self.members = members
    }

    fileprivate static let columns = "event_id, changed_at, kind, resource_id, action, actor, members"

    fileprivate init(row: Row) throws {
        guard let kind = ResourceKind(rawValue: try row.text("kind")) else { throw StorageError.decoding(column: "kind") }
        guard let action = Action(rawValue: try row.text("action")) else { throw StorageError.decoding(column: "action") }
        guard let members = try? JSONValue.parse(try row.text("members").utf8) else {
            throw StorageError.decoding(column: "members")
        }
        self.init(
            eventID: try row.text("event_id"),
            changedAt: try row.timestamp("changed_at"),
            kind: kind,
            resourceID: try row.text("resource_id"),
            action: action,
            actor: try row.text("actor"),
            members: members
        )
    }
}

extension Transaction {
    /// Keeps a change, and forgets the oldest ones of the scope.
    package func insertConfigChange(_ scope: Scope, _ change: ConfigChangeRecord, keeping most: Int) throws {
        try execute(
            """
            INSERT INTO config_changes (project_id, tenant_id, \(raw: ConfigChangeRecord.columns))
            VALUES (\(scope.projectID), \(scope.tenantKey), \(change.eventID), \(change.changedAt.milliseconds),
                \(change.kind.rawValue), \(change.resourceID), \(change.action.rawValue), \(change.actor),
                \(change.members.text))
            """
        )
        try execute(
            """
            DELETE FROM config_changes WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND event_id IN (
                SELECT event_id FROM config_changes WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey)
                ORDER BY changed_at DESC, event_id DESC LIMIT \(most) OFFSET \(most))
            """
        )
    }

    /// The changes of a scope, the latest first.
    package func configChanges(_ scope: Scope, limit: Int) throws -> [ConfigChangeRecord] {
        try query(
            """
            SELECT \(raw: ConfigChangeRecord.columns) FROM config_changes
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey)
            ORDER BY changed_at DESC, event_id DESC LIMIT \(limit)
            """
        ).map(ConfigChangeRecord.init(row:))
    }

    /// One change; `nil` when it is not kept.
    package func configChange(_ scope: Scope, eventID: String) throws -> ConfigChangeRecord? {
        try queryOne(
            """
            SELECT \(raw: ConfigChangeRecord.columns) FROM config_changes
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND event_id = \(eventID)
            """
        ).map(ConfigChangeRecord.init(row:))
    }
}
