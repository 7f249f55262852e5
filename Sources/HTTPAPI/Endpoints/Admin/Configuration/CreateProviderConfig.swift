import HTTPTypes
import Project
import Tenancy

/// `POST v2/projects/{project}[/tenants/{tenant}]/{collection}`, with the id in the query (`Docs/Contract/admin-config.md` §11).
struct CreateProviderConfig: AdminEndpoint {
    static let summary = "Configures an identity provider."
    let level: AdminLevel
    let collection: ProviderCollection
    let providers: ProviderAdministration

    var route: Route { .admin(.post, .changeConfiguration, "\(level.path)/\(collection.rawValue)") }
    var query: Operation.Query { [collection.idParameter: .string] }
    var content: AdminContent { AdminContent(request: .provider(collection), answer: .provider(collection)) }

    func handle(_ call: AdminCall) async throws -> JSONValue {
        let id = try call.query.string(collection.idParameter) ?? ""
        return try await providers.create(collection, id: id, body: call.body, context: call.context)
    }
}
