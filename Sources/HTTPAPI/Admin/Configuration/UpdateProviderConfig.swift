import Accounts
import HTTPTypes
import Project

/// `PATCH v2/projects/{project}[/tenants/{tenant}]/{collection}/{id}?updateMask=` (`contract/admin-config.md` §11).
struct UpdateProviderConfig: AdminEndpoint {
    let level: AdminLevel
    let collection: ProviderCollection
    let providers: ProviderAdministration

    var route: Route { .admin(.patch, "\(level.path)/\(collection.rawValue)/{id}") }

    func handle(_ call: AdminCall) async throws -> JSONValue {
        try await providers.update(collection, id: call.id, body: call.body, mask: call.mask, context: call.context)
    }
}
