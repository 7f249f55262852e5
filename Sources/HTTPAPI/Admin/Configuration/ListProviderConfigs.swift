import Accounts
import HTTPTypes
import Project

/// `GET v2/projects/{project}[/tenants/{tenant}]/{collection}` (`contract/admin-config.md` §11).
struct ListProviderConfigs: AdminEndpoint {
    let level: AdminLevel
    let collection: ProviderCollection
    let providers: ProviderAdministration

    var route: Route { .admin(.get, "\(level.path)/\(collection.rawValue)") }

    func handle(_ call: AdminCall) async throws -> JSONValue {
        try await providers.list(
            collection,
            pageSize: try call.query.integer("pageSize") ?? 0,
            pageToken: try call.query.string("pageToken") ?? "",
            context: call.context
        )
    }
}
