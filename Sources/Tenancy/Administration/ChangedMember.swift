package import Project
package import Storage
import Tokens

/// What a change of a resource did, member by member.
package struct ChangedMember: Sendable, Hashable {
    /// The names of the member and of the objects around it.
    package let path: [String]
    package let before: JSONValue?
    package let after: JSONValue?
    /// Whether the values are not kept: a secret, or too long.
    package let isHidden: Bool

    private static let maximumBytes = 64 * 1024
    private static let maximumMembers = 200

    /// The record of a change.
    static func record(from stored: JSONValue?, to next: JSONValue?) -> JSONValue {
        let all = changes(from: stored ?? [:], to: next ?? [:], at: [])
        let members = JSONValue.array(all.prefix(maximumMembers).map(\.json))
        guard all.count <= maximumMembers, members.text.utf8.count <= maximumBytes else {
            return .array(all.prefix(maximumMembers).map { ChangedMember(path: $0.path, isHidden: true).json })
        }
        return members
    }

    private init(path: [String], before: JSONValue? = nil, after: JSONValue? = nil, isHidden: Bool = false) {
        self.path = path
        self.before = before
        self.after = after
        self.isHidden = isHidden
    }

    package static func all(of change: ConfigChangeRecord) -> [ChangedMember] {
        (change.members.array ?? []).map { member in
            ChangedMember(
                path: (member["path"]?.array ?? []).compactMap(\.string),
                before: member["before"],
                after: member["after"],
                isHidden: member["hidden"] == true
            )
        }
    }

    private var json: JSONValue {
        var json: JSONObject = ["path": .array(path.map(JSONValue.string))]
        json["before"] = before
        json["after"] = after
        json["hidden"] = isHidden ? true : nil
        return .object(json)
    }

    static func changes(from old: JSONValue?, to new: JSONValue?, at path: [String]) -> [ChangedMember] {
        if old == new { return [] }
        // A secret is an object with one member, which is no member of the resource.
        let isSecret = old?["sealed"] != nil || new?["sealed"] != nil || ConfigurationSecrets.paths.contains(path)
        if isSecret { return [ChangedMember(path: path, isHidden: true)] }
        let (members, others) = (new?.object, old?.object)
        guard members != nil || others != nil, new == nil || members != nil, old == nil || others != nil else {
            return [ChangedMember(path: path, before: old, after: new)]
        }
        // What is there on one side only is one member, unless there is a secret in it.
        if old == nil || new == nil, !hasSecret(old), !hasSecret(new) {
            return [ChangedMember(path: path, before: old, after: new)]
        }
        return Set((members ?? [:]).keys).union((others ?? [:]).keys).sorted().flatMap { name in
            changes(from: others?[name], to: members?[name], at: path + [name.text])
        }
    }

    private static func hasSecret(_ value: JSONValue?) -> Bool {
        value?["sealed"] != nil || (value?.object ?? [:]).values.contains { hasSecret($0) }
    }
}

extension ConfigChangeRecord {
    /// The change of an audit record.
    init(_ event: AuditEvent, of kind: ResourceKind, _ resourceID: String, from stored: JSONValue?, to next: JSONValue?) {
        self.init(
            eventID: event.eventID,
            changedAt: event.occurredAt,
            kind: kind,
            resourceID: resourceID,
            action: next == nil ? .deleted : stored == nil ? .created : .updated,
            actor: event.actor,
            members: ChangedMember.record(from: stored, to: next)
        )
    }

    /// The scope in which operators look for it: a tenant's own, as long as there is the tenant.
    func scope(in scope: Scope) -> Scope {
        kind == .tenant && action != .deleted ? Scope(projectID: scope.projectID, tenantID: resourceID) : scope
    }
}
