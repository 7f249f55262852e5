import Project
import Storage

/// An audit record as an event of the Open Cybersecurity Schema Framework 1.3.0: Authentication (3002), Account Change (3001), or Entity
/// Management (3004) for what is no account.
struct OCSFEvent {
    private let row: AuditRow
    private let key: AuditChainKey

    private static let version = "1.3.0"
    private static let category: Int64 = 3
    private static let other: Int64 = 99

    init(_ row: AuditRow, _ key: AuditChainKey) {
        self.row = row
        self.key = key
    }

    /// Class and activity.
    private struct Activity {
        let classUID: Int64
        let id: Int64

        static func authentication(_ id: Int64) -> Activity { Activity(classUID: 3002, id: id) }

        static func account(_ id: Int64) -> Activity { Activity(classUID: 3001, id: id) }

        static func entity(_ id: Int64) -> Activity { Activity(classUID: 3004, id: id) }
    }

    // Refusals of other codes are of calls that are no logon.
    private static let refusedLogons: Set<String> = [
        "INVALID_PASSWORD", "INVALID_LOGIN_CREDENTIALS", "EMAIL_NOT_FOUND", "USER_DISABLED", "TOO_MANY_ATTEMPTS_TRY_LATER",
        "PASSWORD_LOGIN_DISABLED", "INVALID_CODE", "SESSION_EXPIRED",
    ]

    private var activity: Activity {
        switch row.event.event {
        case "signIn", "serviceAccountToken": .authentication(1)
        case "sessionRevoked", "revokeToken": .authentication(2)
        case "createSessionCookie": .authentication(3)
        case "firstFactor": .authentication(6)
        case AuditEvent.refused: .authentication(isLogon ? 1 : Self.other)
        case "signUp", "create", "import": .account(1)
        case "disabledByFunction": .account(5)
        case "delete": .account(6)
        case _ where row.event.localID != nil: .account(Self.other)
        case let name where name.hasSuffix("Created"): .entity(1)
        case "export": .entity(2)
        case let name where name.hasSuffix("Updated"): .entity(3)
        case let name where name.hasSuffix("Deleted") || name.hasSuffix("Revoked"): .entity(4)
        default: .entity(Self.other)
        }
    }

    private var isLogon: Bool {
        let detail = row.event.detail
        return detail?["provider"] != nil || detail?["code"]?.string.map(Self.refusedLogons.contains) == true
    }

    private var isFailure: Bool { row.event.event == AuditEvent.refused || row.event.event == "serviceAccountRefused" }

    /// The event, with every member that its class requires.
    var json: JSONValue {
        let (activity, event) = (activity, row.event)
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
            members["entity"] = ["name": event.detail?["resource"] ?? .string(row.scope.projectID), "type": .string(event.event)]
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

    // A refused stranger is nobody whom the server knows.
    private var user: JSONValue {
        if let localID = row.event.localID { return ["type_id": 1, "uid": .string(localID)] }
        if row.event.actor == AuditEvent.user { return ["name": "unknown", "type_id": 0] }
        return ["name": .string(row.event.actor), "type_id": 3]
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
