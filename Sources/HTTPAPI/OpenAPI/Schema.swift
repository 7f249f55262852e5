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

    init(name: String? = nil, _ shape: Shape) { self.init(name: name, shape.jsonSchema) }

    static let config = Schema(name: "Config", Shape.config)
    static let tenant = Schema(name: "Tenant", Shape.tenant)
    static let policy = Schema(name: "Policy", Shape.policy)

    /// A resource of a collection of provider configurations.
    static func provider(_ collection: ProviderCollection) -> Schema {
        let name = collection.rawValue.prefix(1).uppercased() + collection.rawValue.dropFirst().dropLast()
        return Schema(name: name, collection.kind.shape)
    }
}
