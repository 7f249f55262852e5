import HTTPTypes
import Project
import Tenancy

/// `POST v2/projects/{project}/tenants/{tenant}:setIamPolicy` (`Docs/Contract/admin-config.md` §12). The mask is ignored, because
/// the whole policy is set.
struct SetTenantIamPolicy: AdminEndpoint {
    static let summary = "Replaces the IAM policy of a tenant."
    let route = Route.admin(.post, .changeConfiguration, "/tenants/{tenant}:setIamPolicy")
    let policies: TenantPolicies
    var content: AdminContent {
        AdminContent(
            request: Schema(["type": "object", "properties": ["policy": Schema.policy.json]]),
            answer: .policy
        )
    }

    func handle(_ call: AdminCall) async throws -> JSONValue {
        try await policies.set(call.body["policy"] ?? [:], context: call.context)
    }
}
