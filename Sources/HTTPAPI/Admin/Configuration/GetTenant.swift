import Accounts
import HTTPTypes
import Project

/// `GET v2/projects/{project}/tenants/{tenant}` (`contract/admin-config.md` §12).
struct GetTenant: AdminEndpoint {
    let route = Route.admin(.get, "/tenants/{tenant}")
    let tenants: TenantAdministration

    func handle(_ call: AdminCall) async throws -> JSONValue { try await tenants.get(call.context) }
}
