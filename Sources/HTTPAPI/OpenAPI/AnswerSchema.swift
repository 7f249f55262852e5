import Project
// The reflection interface gives a type's member names and types without a value, which `Mirror` cannot.
@_spi(Reflection) import Swift

/// A type with a known JSON form. Every other type is an object with its stored members.
protocol SchemaDescribed {
    static var schema: JSONValue { get }
    /// Whether a member of this type may be absent.
    static var isOptional: Bool { get }
}

extension SchemaDescribed {
    static var isOptional: Bool { false }
}

extension String: SchemaDescribed {
    static var schema: JSONValue { ["type": "string"] }
}

extension Bool: SchemaDescribed {
    static var schema: JSONValue { ["type": "boolean"] }
}

extension Int: SchemaDescribed {
    static var schema: JSONValue { ["type": "integer"] }
}

extension Int64: SchemaDescribed {
    static var schema: JSONValue { ["type": "integer", "format": "int64"] }
}

extension JSONValue: SchemaDescribed {
    static var schema: JSONValue { [:] }
}

extension Optional: SchemaDescribed {
    static var schema: JSONValue { Schema.json(of: Wrapped.self) }
    static var isOptional: Bool { true }
}

extension Array: SchemaDescribed {
    static var schema: JSONValue { ["type": "array", "items": Schema.json(of: Element.self)] }
}

extension Schema {
    /// The schema of an answer, from its type. Members that are not optional are required.
    static func json(of type: Any.Type) -> JSONValue {
        if let known = type as? any SchemaDescribed.Type { return known.schema }
        var properties: JSONObject = [:]
        var required: [JSONValue] = []
        _ = _forEachField(of: type) { name, _, member, _ in
            let name = String(cString: name)
            properties[name] = json(of: member)
            if (member as? any SchemaDescribed.Type)?.isOptional != true { required.append(.string(name)) }
            return true
        }
        var schema: JSONValue = ["type": "object"]
        if !properties.isEmpty { schema["properties"] = .object(properties) }
        if !required.isEmpty { schema["required"] = .array(required) }
        return schema
    }

    /// The schema of an answer; a type that allows any JSON gets no name.
    init(name: String? = nil, answer type: Any.Type) {
        self.init(name: type is JSONValue.Type ? nil : name, Self.json(of: type))
    }
}
