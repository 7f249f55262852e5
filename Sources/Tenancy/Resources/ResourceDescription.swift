import OrderedCollections
package import Project

/// A resource of the v2 API as a JSON schema for the API's description, made from the shape that requests are checked against.
package struct ResourceDescription: Sendable {
    /// The schema's name.
    package let name: String
    /// The schema, in the form of OpenAPI 3.0.
    package let schema: JSONValue

    private init(_ name: String, _ schema: JSONValue) {
        self.name = name
        self.schema = schema
    }

    private init(_ name: String, _ resource: ResourceSchema) {
        self.init(name, resource.shape.jsonSchema(at: [], outputOnly: resource.outputOnly))
    }

    package static let config = ResourceDescription("Config", ResourceSchema.config)
    package static let tenant = ResourceDescription("Tenant", ResourceSchema.tenant)
    package static let policy = ResourceDescription("Policy", TenantPolicies.schema)

    /// A resource of a collection of provider configurations.
    package static func provider(_ collection: ProviderCollection) -> ResourceDescription {
        let name = collection.rawValue.prefix(1).uppercased() + collection.rawValue.dropFirst().dropLast()
        return ResourceDescription(name, collection.schema)
    }
}

extension ResourceShape {
    /// - Parameter path: The path of this part in the resource; `*` stands for keys of maps and elements of lists.
    fileprivate func jsonSchema(at path: [String], outputOnly: Set<[String]>) -> JSONValue {
        var schema: JSONValue =
            switch self {
            case .any: [:]
            case .bool: ["type": "boolean"]
            case .text: ["type": "string", "maxLength": .integer(Int64(Self.maximumTextBytes))]
            case .url: ["type": "string", "format": "uri", "maxLength": .integer(Int64(Self.maximumTextBytes))]
            case .integer: ["type": "integer"]
            case .number: ["type": "number"]
            case .word(let words), .code(let words, _): ["type": "string", "enum": .array(words.map(JSONValue.string))]
            case .list(let shape):
                [
                    "type": "array", "items": shape.jsonSchema(at: path + ["*"], outputOnly: outputOnly),
                    "maxItems": .integer(Int64(Self.maximumElements)),
                ]
            case .map(let shape):
                [
                    "type": "object", "additionalProperties": shape.jsonSchema(at: path + ["*"], outputOnly: outputOnly),
                    "maxProperties": .integer(Int64(JSONValue.maximumMembers)),
                ]
            case .object(let members):
                [
                    "type": "object",
                    "properties": .object(
                        members.reduce(into: [:]) { properties, member in
                            properties[member.key] = member.value.jsonSchema(at: path + [member.key], outputOnly: outputOnly)
                        }
                    ),
                ]
            }
        if outputOnly.contains(path) { schema["readOnly"] = true }
        return schema
    }
}
