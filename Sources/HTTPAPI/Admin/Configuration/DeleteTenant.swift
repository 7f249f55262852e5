import Accounts
import HTTPTypes
import Project

/// `DELETE v2/projects/{project}/tenants/{tenant}` (`contract/admin-config.md` §12).
struct DeleteTenant: AdminEndpoint {
    let route = Route.admin(.delete, "/tenants/{tenant}")
    let tenants: TenantAdministration

    func handle(_ call: AdminCall) async throws -> JSONValue {
        try await tenants.delete(call.context)
        return [:]
    }
}
