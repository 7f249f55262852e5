import HTTPTypes
import Project
import Tenancy

/// `POST v2/projects/{project}/tenants/{tenant}:getIamPolicy` (`Docs/Contract/admin-config.md` §12).
struct GetTenantIamPolicy: AdminEndpoint {
    static let summary = "Reads the IAM policy of a tenant."
    let route = Route.admin(.post, .changeConfiguration, "/tenants/{tenant}:getIamPolicy")
    let policies: TenantPolicies
    var content: AdminContent { AdminContent(answer: .policy) }

    func handle(_ call: AdminCall) async throws -> JSONValue { try await policies.get(call.context) }
}
