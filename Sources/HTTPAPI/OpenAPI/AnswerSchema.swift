import Project

/// A type with a known JSON form. Every other type is an object with the members that it decodes.
protocol SchemaDescribed {
    static var schema: JSONValue { get }
    static var sample: Self { get }
}

extension String: SchemaDescribed {
    static var schema: JSONValue { ["type": "string"] }
    static var sample: String { "" }
}

extension Bool: SchemaDescribed {
    static var schema: JSONValue { ["type": "boolean"] }
    static var sample: Bool { false }
}

extension Int: SchemaDescribed {
    static var schema: JSONValue { ["type": "integer"] }
    static var sample: Int { 0 }
}

extension Int64: SchemaDescribed {
    static var schema: JSONValue { ["type": "integer", "format": "int64"] }
    static var sample: Int64 { 0 }
}

extension JSONValue: SchemaDescribed {
    static var schema: JSONValue { [:] }
    static var sample: JSONValue { .null }
}

extension Array: SchemaDescribed where Element: Decodable {
    static var schema: JSONValue { ["type": "array", "items": Schema.json(of: Element.self)] }
    static var sample: [Element] { [] }
}

extension Schema {
    /// The schema of an answer, from its type. Members that are not optional are required.
    static func json<T: Decodable>(of type: T.Type) -> JSONValue {
        if let known = type as? any SchemaDescribed.Type { return known.schema }
        let recorder = AnswerRecorder()
        // Every member is recorded before its sample may be refused.
        _ = try? T(from: recorder)
        var schema: JSONValue = ["type": "object"]
        if !recorder.properties.isEmpty { schema["properties"] = .object(recorder.properties) }
        if !recorder.required.isEmpty { schema["required"] = .array(recorder.required) }
        return schema
    }

    /// The schema of an answer; a type that allows any JSON gets no name.
    init<T: Decodable>(name: String? = nil, answer type: T.Type) {
        self.init(name: type is JSONValue.Type ? nil : name, Self.json(of: type))
    }
}

/// Learns which members an answer has by letting its type decode itself from samples.
private final class AnswerRecorder: Decoder {
    fileprivate(set) var properties: JSONObject = [:]
    fileprivate(set) var required: [JSONValue] = []
    /// The optional member that is about to be decoded.
    fileprivate var optional: String?
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    /// The type is no object, so it must be described by ``SchemaDescribed``.
    struct NoObject: Error {}

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(AnswerMembers<Key>(recorder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NoObject() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw NoObject() }
}

private struct AnswerMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let recorder: AnswerRecorder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    // Only optional members are asked for before they are decoded.
    func contains(_ key: Key) -> Bool {
        recorder.optional = key.stringValue
        return true
    }

    func decodeNil(forKey key: Key) -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        let name = key.stringValue
        recorder.properties[name] = Schema.json(of: type)
        if recorder.optional != name { recorder.required.append(.string(name)) }
        if let known = type as? any SchemaDescribed.Type, let sample = known.sample as? T { return sample }
        return try T(from: AnswerRecorder())
    }

    func nestedContainer<Nested>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
        throw AnswerRecorder.NoObject()
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw AnswerRecorder.NoObject() }

    func superDecoder() throws -> any Decoder { throw AnswerRecorder.NoObject() }

    func superDecoder(forKey key: Key) throws -> any Decoder { throw AnswerRecorder.NoObject() }
}
