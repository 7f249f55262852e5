import Passwords
import Project
import Tenancy

/// A JSON schema of OpenAPI 3.0. A schema with a name is one of the document's components.
struct Schema: Sendable {
    let name: String?
    let json: JSONValue

    init(name: String? = nil, _ json: JSONValue) {
        self.name = name
        self.json = json
    }

    /// Makes the schema of a body from the members that it reads.
    ///
    /// - Parameter fields: The members by JSON pointer, see ``FieldRecorder/fields(of:)``.
    init(name: String? = nil, fields: [String: FieldKind]) {
        self.init(name: name, Self.object(at: "", of: fields))
    }

    /// Makes the schema of a resource of the administration API.
    init(_ resource: ResourceDescription) { self.init(name: resource.name, resource.schema) }

    private static func object(at place: String, of fields: [String: FieldKind]) -> JSONValue {
        var properties: JSONObject = [:]
        for (pointer, kind) in fields.sorted(by: { $0.key < $1.key }) where pointer.hasPrefix(place + "/") {
            let name = String(pointer.dropFirst(place.count + 1))
            guard !name.contains("/") else { continue }
            properties[name] =
                switch kind {
                case .object: object(at: pointer, of: fields)
                case .objects:
                    [
                        "type": "array", "items": object(at: pointer + "/0", of: fields),
                        "maxItems": .integer(Int64(FieldBounds.elements(of: name))),
                    ]
                default: kind.schema(of: name)
                }
        }
        return properties.isEmpty ? ["type": "object"] : ["type": "object", "properties": .object(properties)]
    }
}

extension FieldKind {
    /// The schema of a member of this kind, with its limits. OpenAPI counts characters but Postern counts bytes, so texts outside
    /// ASCII may have fewer characters than stated.
    func schema(of name: String) -> JSONValue {
        switch self {
        case .string: schema.merging(["maxLength": .integer(Int64(FieldBounds.bytes(of: name)))])
        case .password: schema.merging(["maxLength": .integer(Int64(PasswordHasher.maximumPasswordBytes))])
        case .strings:
            schema.merging([
                "items": ["maxLength": .integer(Int64(FieldBounds.text))],
                "maxItems": .integer(Int64(FieldBounds.elements(of: name))),
            ])
        case .enumerations, .objects: schema.merging(["maxItems": .integer(Int64(FieldBounds.elements(of: name)))])
        default: schema
        }
    }

    /// The schema of a value of this kind. 64-bit integers are texts, as in Google's own descriptions.
    var schema: JSONValue {
        switch self {
        case .any: [:]
        case .string: ["type": "string"]
        case .shortString(let length): ["type": "string", "maxLength": .integer(Int64(length))]
        case .password: ["type": "string", "format": "password"]
        case .bool: ["type": "boolean"]
        case .integer: ["type": "string", "format": "int64"]
        case .time: ["type": "string", "format": "date-time"]
        case .enumeration(let names): ["type": "string", "enum": .array(names.map(JSONValue.string))]
        case .strings: ["type": "array", "items": ["type": "string"]]
        case .enumerations(let names): ["type": "array", "items": FieldKind.enumeration(names).schema]
        case .object: ["type": "object"]
        case .objects: ["type": "array", "items": ["type": "object"]]
        }
    }
}
