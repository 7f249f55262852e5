package import Project
package import Storage
import Tokens

/// A statement about an end of a chain, which is signed.
package struct AuditCheckpoint: Sendable, Hashable {
    /// The end that is stated.
    package enum Kind: String, Sendable {
        /// The last record.
        case head
        /// The last record that retention removed.
        case cut
    }

    package let kind: Kind
    package let key: AuditChainKey
    package let seq: Int64
    package let hash: String
    package let madeAt: Timestamp

    init(_ kind: Kind, of key: AuditChainKey, seq: Int64, hash: String, at time: Timestamp) {
        self.kind = kind
        self.key = key
        self.seq = seq
        self.hash = hash
        madeAt = time
    }

    /// Reads a verified statement; `nil` for any other object.
    init?(_ statement: JSONValue) {
        guard let kind = statement["kind"]?.string.flatMap(Kind.init), let project = statement["project"]?.string,
            let tenant = statement["tenant"]?.string, let name = statement["class"]?.string, let hash = statement["hash"]?.string,
            case .integer(let seq) = statement["seq"], case .integer(let time) = statement["time"]
        else { return nil }
        let scope = Scope(projectID: project, tenantID: tenant.isEmpty ? nil : tenant)
        self.init(
            kind,
            of: AuditChainKey(scope: scope, recordClass: name),
            seq: seq,
            hash: hash,
            at: Timestamp(milliseconds: time)
        )
    }

    var statement: JSONValue {
        [
            "class": .string(key.recordClass), "hash": .string(hash), "kind": .string(kind.rawValue),
            "project": .string(key.scope.projectID), "seq": .integer(seq), "tenant": .string(key.scope.tenantKey),
            "time": .integer(madeAt.milliseconds),
        ]
    }

    /// Whether both say the same of the same end, whenever they were made.
    func agrees(with other: AuditCheckpoint) -> Bool {
        kind == other.kind && key == other.key && seq == other.seq && hash == other.hash
    }
}
