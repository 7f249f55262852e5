import HTTPTypes
import Project
import Tenancy

/// `GET v2/projects/{project}[/tenants/{tenant}]/{collection}` (`Docs/Contract/admin-config.md` §11).
struct ListProviderConfigs: AdminEndpoint {
    static let summary = "Lists the configured identity providers."
    let level: AdminLevel
    let collection: ProviderCollection
    let providers: ProviderAdministration

    var route: Route { .admin(.get, .readConfiguration, "\(level.path)/\(collection.rawValue)") }
    var query: Operation.Query { PageQuery.parameters }
    var content: AdminContent { AdminContent(answer: PageQuery.answer(collection.rawValue, of: .provider(collection))) }

    func handle(_ call: AdminCall) async throws -> JSONValue {
        let page = try PageQuery(call.query)
        return try await providers.list(
            collection,
            pageSize: page.size,
            pageToken: page.token,
            context: call.context
        )
    }
}
