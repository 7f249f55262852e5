import HTTPTypes
import Project
import Tenancy

/// `GET v2/projects/{project}[/tenants/{tenant}]/{collection}/{id}` (`Docs/Contract/admin-config.md` §11).
struct GetProviderConfig: AdminEndpoint {
    static let summary = "Reads the configuration of an identity provider."
    let level: AdminLevel
    let collection: ProviderCollection
    let providers: ProviderAdministration

    var route: Route { .admin(.get, .readConfiguration, "\(level.path)/\(collection.rawValue)/{id}") }
    var content: AdminContent { AdminContent(answer: .provider(collection)) }

    func handle(_ call: AdminCall) async throws -> JSONValue {
        try await providers.get(collection, id: call.id, context: call.context)
    }
}
