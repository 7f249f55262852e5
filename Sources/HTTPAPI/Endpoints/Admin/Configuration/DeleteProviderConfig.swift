import HTTPTypes
import Project
import Tenancy

/// `DELETE v2/projects/{project}[/tenants/{tenant}]/{collection}/{id}` (`Docs/Contract/admin-config.md` §11).
struct DeleteProviderConfig: AdminEndpoint {
    static let summary = "Removes the configuration of an identity provider."
    let level: AdminLevel
    let collection: ProviderCollection
    let providers: ProviderAdministration

    var route: Route { .admin(.delete, .changeConfiguration, "\(level.path)/\(collection.rawValue)/{id}") }
    var content: AdminContent { .nothing }

    func handle(_ call: AdminCall) async throws -> JSONValue {
        try await providers.delete(collection, id: call.id, context: call.context)
        return [:]
    }
}
