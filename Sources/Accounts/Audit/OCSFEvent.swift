import Project
import Storage
import Tokens

/// An audit record as an event of the Open Cybersecurity Schema Framework 1.3.0: Authentication (3002), Account Change (3001), or Entity
/// Management (3004) for what is no account.
struct OCSFEvent {
    private let row: AuditRow
    private let key: AuditChainKey

    private static let version = "1.3.0"
    private static let category: Int64 = 3

    init(_ row: AuditRow, _ key: AuditChainKey) {
        self.row = row
        self.key = key
    }

    private var isFailure: Bool { [.refused, .serviceAccountRefused].contains(row.event.kind) }

    /// The event, with every member that its class requires.
    var json: JSONValue {
        let (activity, event) = (OCSFActivity(row.event), row.event)
        var members: JSONObject = [
            "activity_id": .integer(activity.id), "activity_name": .string(event.event), "category_uid": .integer(Self.category),
            "class_uid": .integer(activity.classUID), "count": .integer(event.repeats + 1), "metadata": metadata,
            // 1 is informational and 2 is low.
            "severity_id": .integer(isFailure ? 2 : 1),
            "status_id": .integer(isFailure ? 2 : 1),
            "time": .integer(event.occurredAt.milliseconds), "type_uid": .integer(activity.classUID * 100 + activity.id),
            "unmapped": unmapped,
        ]
        if let last = event.lastAt {
            members["start_time"] = .integer(event.occurredAt.milliseconds)
            members["end_time"] = .integer(last.milliseconds)
        }
        if isFailure { members["status_code"] = event.detail?["code"] }
        if let address = event.address { members["src_endpoint"] = ["ip": .string(address)] }
        switch activity.classUID {
        case 3004:
            members["actor"] = actor
            var entity: JSONObject = [
                "name": event.detail?["resource"] ?? .string(row.scope.projectID), "type": .string(event.event),
            ]
            entity["uid"] = event.localID.map(JSONValue.string)
            members["entity"] = .object(entity)
        case 3002:
            members["service"] = ["name": "postern"]
            members["user"] = user
        default:
            members["actor"] = actor
            members["user"] = user
        }
        return .object(members)
    }

    private var metadata: JSONValue {
        var members: JSONObject = [
            "product": ["name": "Postern", "vendor_name": "Postern", "version": .string(Release.version)],
            "sequence": .integer(row.seq), "uid": .string(row.event.eventID), "version": .string(Self.version),
        ]
        members["tenant_uid"] = row.scope.tenantID.map(JSONValue.string)
        members["correlation_uid"] = row.event.detail?["requestId"]
        return .object(members)
    }

    // A refused stranger is nobody whom the server knows. Of types, 1 is a user, 2 an administrator and 3 the system.
    private var user: JSONValue {
        let (event, actor) = (row.event, row.event.actor)
        if let localID = event.localID { return ["type_id": 1, "uid": .string(localID)] }
        // What an owner does to another operator.
        if let operatorID = event.detail?["operator"]?.string { return ["type_id": 2, "uid": .string(operatorID)] }
        if actor == AuditEvent.user || actor == AuditEvent.unknownOperator { return ["name": "unknown", "type_id": 0] }
        return ["name": .string(actor), "type_id": actor.hasPrefix(ActorClaim.operatorPrefix) ? 2 : 3]
    }

    private var actor: JSONValue {
        if row.event.actor == AuditEvent.user { return ["user": user] }
        return ["user": ["name": .string(row.event.actor), "type_id": 2]]
    }

    private var unmapped: JSONValue {
        var members: JSONObject = [
            "class": .string(key.recordClass), "hash": .string(row.hash), "project": .string(row.scope.projectID),
        ]
        members["detail"] = row.event.detail
        return .object(members)
    }
}
