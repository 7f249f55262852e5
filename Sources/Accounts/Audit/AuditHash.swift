package import Project
package import Storage

/// What a chain of audit records is made of: each record's hash covers the record and the hash before it.
package enum AuditHash {
    /// The hash before the first record.
    package static let first = String(repeating: "0", count: 64)

    /// The text that is hashed: a JSON object with sorted names and without spaces.
    ///
    /// - Returns: The object. `detail` is the text of the stored JSON.
    package static func content(_ row: AuditRow, in key: AuditChainKey, seq: Int64, previous: String) -> JSONValue {
        let event = row.event
        var members: JSONObject = [
            "actor": .string(event.actor), "class": .string(key.recordClass), "event": .string(event.event),
            "id": .string(event.eventID), "previous": .string(previous), "project": .string(row.scope.projectID),
            "repeats": .integer(event.repeats), "seq": .integer(seq), "tenant": .string(row.scope.tenantKey),
            "time": .integer(event.occurredAt.milliseconds),
        ]
        members["address"] = event.address.map(JSONValue.string)
        members["detail"] = row.detailText.map(JSONValue.string)
        members["lastTime"] = event.lastAt.map { .integer($0.milliseconds) }
        members["localId"] = event.localID.map(JSONValue.string)
        return .object(members)
    }

    /// SHA-256 of the content, in hexadecimal.
    package static func of(_ row: AuditRow, in key: AuditChainKey, seq: Int64, previous: String) -> String {
        hexadecimal(sha256(content(row, in: key, seq: seq, previous: previous).canonical()))
    }
}
