import HTTPTypes
import Project
import Tenancy

/// `DELETE v2/projects/{project}/tenants/{tenant}` (`Docs/Contract/admin-config.md` §12).
struct DeleteTenant: AdminEndpoint {
    static let summary = "Removes a tenant with all its accounts."
    let route = Route.admin(.delete, .changeConfiguration, "/tenants/{tenant}")
    let tenants: TenantAdministration
    var content: AdminContent { .nothing }

    func handle(_ call: AdminCall) async throws -> JSONValue {
        try await tenants.delete(call.context)
        return [:]
    }
}
