import Accounts
import HTTPTypes
import Project

/// `GET v2/projects/{project}/tenants` (`contract/admin-config.md` §12).
struct ListTenants: AdminEndpoint {
    let route = Route.admin(.get, "/tenants")
    let tenants: TenantAdministration

    func handle(_ call: AdminCall) async throws -> JSONValue {
        try await tenants.list(
            pageSize: try call.query.integer("pageSize") ?? 0,
            pageToken: try call.query.string("pageToken") ?? "",
            context: call.context
        )
    }
}
