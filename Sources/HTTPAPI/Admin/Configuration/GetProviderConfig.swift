import Accounts
import HTTPTypes
import Project

/// `GET v2/projects/{project}[/tenants/{tenant}]/{collection}/{id}` (`contract/admin-config.md` §11).
struct GetProviderConfig: AdminEndpoint {
    let level: AdminLevel
    let collection: ProviderCollection
    let providers: ProviderAdministration

    var route: Route { .admin(.get, "\(level.path)/\(collection.rawValue)/{id}") }

    func handle(_ call: AdminCall) async throws -> JSONValue {
        try await providers.get(collection, id: call.id, context: call.context)
    }
}
