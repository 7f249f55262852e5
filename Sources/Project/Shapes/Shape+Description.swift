import OrderedCollections

extension Shape {
    /// The shape as a JSON schema of OpenAPI 3.0, with its limits. OpenAPI counts characters but Postern counts bytes, so texts
    /// outside ASCII may have fewer characters than stated.
    package var jsonSchema: JSONValue {
        var schema: JSONValue =
            switch kind {
            case .any: [:]
            case .bool: ["type": "boolean"]
            case .integer: ["type": "integer"]
            case .int64: ["type": "string", "format": "int64"]
            case .number: ["type": "number"]
            case .text(let format, let bytes): Self.textSchema(format?.rawValue, atMost: format == .dateTime ? nil : bytes)
            case .shortText(let length): Self.textSchema(nil, atMost: length)
            case .enumeration(let words), .word(let words, _): ["type": "string", "enum": .array(words.map(JSONValue.string))]
            case .list(let shape, let most):
                ["type": "array", "items": shape.jsonSchema, "maxItems": .integer(Int64(most))]
            case .map(let shape):
                [
                    "type": "object", "additionalProperties": shape.jsonSchema,
                    "maxProperties": .integer(Int64(JSONValue.maximumMembers)),
                ]
            case .object(let members) where members.isEmpty: ["type": "object"]
            case .object(let members):
                [
                    "type": "object",
                    "properties": .object(JSONObject(naming: members.lazy.map { ($0.key, $0.value.jsonSchema) })),
                ]
            }
        if marks.contains(.outputOnly) { schema["readOnly"] = true }
        return schema
    }

    private static func textSchema(_ format: String?, atMost length: Int?) -> JSONValue {
        var schema: JSONObject = ["type": "string"]
        schema["format"] = format.map(JSONValue.string)
        schema["maxLength"] = length.map { .integer(Int64($0)) }
        return .object(schema)
    }
}
