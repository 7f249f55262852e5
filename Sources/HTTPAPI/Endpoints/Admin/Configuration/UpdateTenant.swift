import HTTPTypes
import Project
import Tenancy

/// `PATCH v2/projects/{project}/tenants/{tenant}?updateMask=` (`Docs/Contract/admin-config.md` §2 and §12).
struct UpdateTenant: AdminEndpoint {
    static let summary = "Changes a tenant."
    let route = Route.admin(.patch, .changeConfiguration, "/tenants/{tenant}")
    let tenants: TenantAdministration
    var content: AdminContent { AdminContent(request: .tenant, answer: .tenant, takesMask: true) }

    func handle(_ call: AdminCall) async throws -> JSONValue {
        try await tenants.update(call.body, mask: call.mask, context: call.context)
    }
}
