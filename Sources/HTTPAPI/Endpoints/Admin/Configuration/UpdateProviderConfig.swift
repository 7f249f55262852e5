import HTTPTypes
import Project
import Tenancy

/// `PATCH v2/projects/{project}[/tenants/{tenant}]/{collection}/{id}?updateMask=` (`Docs/Contract/admin-config.md` §11).
struct UpdateProviderConfig: AdminEndpoint {
    static let summary = "Changes the configuration of an identity provider."
    let level: AdminLevel
    let collection: ProviderCollection
    let providers: ProviderAdministration

    var route: Route { .admin(.patch, .changeConfiguration, "\(level.path)/\(collection.rawValue)/{id}") }
    var content: AdminContent {
        AdminContent(request: .provider(collection), answer: .provider(collection), takesMask: true)
    }

    func handle(_ call: AdminCall) async throws -> JSONValue {
        try await providers.update(collection, id: call.id, body: call.body, mask: call.mask, context: call.context)
    }
}
