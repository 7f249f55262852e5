import Project

/// Learns which members a body reads by letting it read a ``ProtoObject`` that records every access and returns samples. So the
/// API's description follows the code and is not written a second time.
final class FieldRecorder: Sendable {
    private let shapes = LockedState<[String: Shape]>([:])
    private let isAbsent: @Sendable (String, Shape) -> Bool

    private init(isAbsent: @escaping @Sendable (String, Shape) -> Bool) { self.isAbsent = isAbsent }

    /// The members that a body reads, by JSON pointer (RFC 6901); elements of a list are at index 0.
    ///
    /// A body reads some members only when others are present or absent. It is therefore read several times: with all members,
    /// with objects only, and without each of the objects in turn.
    static func fields(of body: (some ProtoDecodable).Type) -> [String: Shape] {
        var found = fields(of: body) { _, _ in false }
        found.merge(fields(of: body) { !$1.isStructure }, uniquingKeysWith: moreExact)
        for (missing, shape) in found where shape.isStructure {
            found.merge(fields(of: body) { pointer, _ in pointer == missing }, uniquingKeysWith: moreExact)
        }
        return found
    }

    /// The shape of a body by the members that it reads.
    static func shape(of body: (some ProtoDecodable).Type) -> Shape { shape(of: fields(of: body)) }

    /// The shape of an object by its members, each at its JSON pointer.
    static func shape(of fields: [String: Shape], at place: String = "") -> Shape {
        .object(
            naming: fields.sorted { $0.key < $1.key }.compactMap { pointer, shape -> (String, Shape)? in
                guard pointer.hasPrefix(place + "/") else { return nil }
                let name = String(pointer.dropFirst(place.count + 1))
                guard !name.contains("/") else { return nil }
                switch shape.kind {
                case .object: return (name, Self.shape(of: fields, at: pointer))
                case .list(let element, let most) where element.isStructure:
                    return (name, .list(Self.shape(of: fields, at: pointer + "/0"), atMost: most))
                default: return (name, shape)
                }
            }
        )
    }

    private static func fields(
        of body: (some ProtoDecodable).Type,
        isAbsent: @escaping @Sendable (String, Shape) -> Bool
    ) -> [String: Shape] {
        let recorder = FieldRecorder(isAbsent: isAbsent)
        // A body that refuses a sample has recorded its members up to there; the other readings record the rest.
        _ = try? body.init(ProtoObject(recordedBy: recorder))
        return recorder.shapes.withLock { $0 }
    }

    private static func moreExact(_ one: Shape, _ other: Shape) -> Shape { one == .any ? other : one }

    /// Records that a member is read.
    ///
    /// - Returns: A value of the shape; `nil` when the member is absent in this reading.
    func sample(at pointer: String, as shape: Shape) -> JSONValue? {
        shapes.withLock { $0[pointer] = $0[pointer].map { Self.moreExact($0, shape) } ?? shape }
        return isAbsent(pointer, shape) ? nil : shape.sample
    }
}

extension Shape {
    fileprivate var isStructure: Bool {
        switch kind {
        case .object: true
        case .list(let element, _): element.isStructure
        default: false
        }
    }

    fileprivate var sample: JSONValue? {
        switch kind {
        case .any: nil
        case .text(.dateTime, _): "1970-01-01T00:00:00Z"
        case .text, .shortText: "1"
        case .bool: true
        case .integer, .int64, .number: 1
        case .enumeration(let names), .word(let names, _): names.first.map { .string($0) }
        case .list(let element, _): .array([element.sample].compactMap(\.self))
        case .object, .map: [:]
        }
    }
}
