import HTTPTypes
import Project
import Tenancy

/// `GET v2/projects/{project}/tenants/{tenant}` (`Docs/Contract/admin-config.md` §12).
struct GetTenant: AdminEndpoint {
    static let summary = "Reads a tenant."
    let route = Route.admin(.get, .readConfiguration, "/tenants/{tenant}")
    let tenants: TenantAdministration
    var content: AdminContent { AdminContent(answer: .tenant) }

    func handle(_ call: AdminCall) async throws -> JSONValue { try await tenants.get(call.context) }
}
