import Accounts
import HTTPTypes
import Project

/// `POST v2/projects/{project}/tenants/{tenant}:getIamPolicy` (`contract/admin-config.md` §12).
struct GetTenantIamPolicy: AdminEndpoint {
    let route = Route.admin(.post, "/tenants/{tenant}:getIamPolicy")
    let policies: TenantPolicies

    func handle(_ call: AdminCall) async throws -> JSONValue { try await policies.get(call.context) }
}
