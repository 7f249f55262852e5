import Project

/// The kind of a request member.
enum FieldKind: Sendable, Hashable {
    case any
    case string
    /// A text of at most this many characters.
    case shortString(Int)
    case password
    case bool
    case integer
    /// A time in RFC 3339.
    case time
    /// One of these names, in index order.
    case enumeration([String])
    case strings
    case enumerations([String])
    case object
    case objects
}

/// Learns which members a body reads by letting it read a ``ProtoObject`` that records every access and returns samples. So the
/// API's description follows the code and is not written a second time.
final class FieldRecorder: Sendable {
    private let kinds = LockedState<[String: FieldKind]>([:])
    private let isAbsent: @Sendable (String, FieldKind) -> Bool

    private init(isAbsent: @escaping @Sendable (String, FieldKind) -> Bool) { self.isAbsent = isAbsent }

    /// The members that a body reads, by JSON pointer (RFC 6901); elements of a list are at index 0.
    ///
    /// A body reads some members only when others are present or absent. It is therefore read several times: with all members,
    /// with objects only, and without each of the objects in turn.
    static func fields(of body: (some ProtoDecodable).Type) -> [String: FieldKind] {
        var found = fields(of: body) { _, _ in false }
        found.merge(fields(of: body) { !$1.isStructure }, uniquingKeysWith: moreExact)
        for (missing, kind) in found where kind.isStructure {
            found.merge(fields(of: body) { pointer, _ in pointer == missing }, uniquingKeysWith: moreExact)
        }
        return found
    }

    private static func fields(
        of body: (some ProtoDecodable).Type,
        isAbsent: @escaping @Sendable (String, FieldKind) -> Bool
    ) -> [String: FieldKind] {
        let recorder = FieldRecorder(isAbsent: isAbsent)
        // A body that refuses a sample has recorded its members up to there; the other readings record the rest.
        _ = try? body.init(ProtoObject(recordedBy: recorder))
        return recorder.kinds.withLock { $0 }
    }

    private static func moreExact(_ one: FieldKind, _ other: FieldKind) -> FieldKind { one == .any ? other : one }

    /// Records that a member is read.
    ///
    /// - Returns: A value of the kind; `nil` when the member is absent in this reading.
    func sample(at pointer: String, as kind: FieldKind) -> JSONValue? {
        kinds.withLock { $0[pointer] = $0[pointer].map { Self.moreExact($0, kind) } ?? kind }
        return isAbsent(pointer, kind) ? nil : kind.sample
    }
}

extension FieldKind {
    fileprivate var isStructure: Bool { self == .object || self == .objects }

    fileprivate var sample: JSONValue? {
        switch self {
        case .any: nil
        case .string, .shortString, .password: "1"
        case .bool: true
        case .integer: 1
        case .time: "1970-01-01T00:00:00Z"
        case .enumeration(let names): names.first.map { .string($0) }
        case .enumerations(let names): .array(names.prefix(1).map { .string($0) })
        case .strings: ["1"]
        case .object: [:]
        case .objects: [[:]]
        }
    }
}
