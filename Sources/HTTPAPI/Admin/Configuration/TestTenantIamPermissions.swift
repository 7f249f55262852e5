import Accounts
import HTTPTypes
import Project

/// `POST v2/projects/{project}/tenants/{tenant}:testIamPermissions` (`contract/admin-config.md` §12).
struct TestTenantIamPermissions: AdminEndpoint {
    let route = Route.admin(.post, "/tenants/{tenant}:testIamPermissions")
    let policies: TenantPolicies

    func handle(_ call: AdminCall) async throws -> JSONValue {
        let permissions = try ProtoObject(call.body.object ?? [:]).strings("permissions")
        return try await policies.test(permissions, context: call.context)
    }
}
