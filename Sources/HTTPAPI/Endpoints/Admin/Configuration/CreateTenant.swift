import HTTPTypes
import Project
import Tenancy

/// `POST v2/projects/{project}/tenants` (`Docs/Contract/admin-config.md` §12).
struct CreateTenant: AdminEndpoint {
    static let summary = "Makes a tenant."
    let route = Route.admin(.post, .changeConfiguration, "/tenants")
    let tenants: TenantAdministration
    var content: AdminContent { AdminContent(request: .tenant, answer: .tenant) }

    func handle(_ call: AdminCall) async throws -> JSONValue { try await tenants.create(call.body, context: call.context) }
}
