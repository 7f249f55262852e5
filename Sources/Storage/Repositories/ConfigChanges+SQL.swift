package import Project

/// A change of a configuration resource, as it is kept for operators.
package struct ConfigChangeRecord: Sendable, Hashable {
    /// What was done with the resource.
    package enum Action: String, Sendable, ColumnValue {
        case created, updated, deleted
    }

    /// The id of the audit record of the same change.
    package internal(set) var eventID: String
    package internal(set) var changedAt: Timestamp
    package internal(set) var kind: ResourceKind
    package internal(set) var resourceID: String
    package internal(set) var action: Action
    package internal(set) var actor: String
    /// What changed: `path`, a list of names, with `before` and `after`, or with a mark in place of values that are not kept.
    package internal(set) var members: JSONValue

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
}

extension ConfigChangeRecord: StoredRecord {
    static let table = TableDescriptor<Self>("config_changes", of: .scope, key: ["project_id", "tenant_id", "event_id"])
    static var blank: Self {
        Self(eventID: "", changedAt: .blank, kind: .config, resourceID: "", action: .created, actor: "", members: .null)
    }

    static func columns(_ column: inout some ColumnVisitor<Self>) {
        column("event_id", \.eventID)
        column("changed_at", \.changedAt)
        column("kind", \.kind)
        column("resource_id", \.resourceID)
        column("action", \.action)
        column("actor", \.actor)
        column("members", \.members)
    }
}

extension Transaction {
    /// Keeps a change, and forgets the oldest ones of the scope.
    package func insertConfigChange(_ scope: Scope, _ change: ConfigChangeRecord, keeping most: Int) throws {
        try execute(change.insertion(of: scope.values))
        try execute(
            """
            DELETE FROM config_changes WHERE \(scope) AND event_id IN (
                SELECT event_id FROM config_changes WHERE \(scope)
                ORDER BY changed_at DESC, event_id DESC LIMIT \(most) OFFSET \(most))
            """
        )
    }

    /// The changes of a scope, the latest first.
    package func configChanges(_ scope: Scope, limit: Int) throws -> [ConfigChangeRecord] {
        try all("WHERE \(scope) ORDER BY changed_at DESC, event_id DESC LIMIT \(limit)")
    }

    /// One change; `nil` when it is not kept.
    package func configChange(_ scope: Scope, eventID: String) throws -> ConfigChangeRecord? {
        try first("WHERE \(scope) AND event_id = \(eventID)")
    }
}
