import HTTPTypes
import Project
import Tenancy

/// `GET v2/projects/{project}/tenants` (`Docs/Contract/admin-config.md` §12).
struct ListTenants: AdminEndpoint {
    static let summary = "Lists the tenants."
    let route = Route.admin(.get, .readConfiguration, "/tenants")
    let tenants: TenantAdministration
    var query: Operation.Query { PageQuery.parameters }
    var content: AdminContent { AdminContent(answer: PageQuery.answer("tenants", of: .tenant)) }

    func handle(_ call: AdminCall) async throws -> JSONValue {
        let page = try PageQuery(call.query)
        return try await tenants.list(
            pageSize: page.size,
            pageToken: page.token,
            context: call.context
        )
    }
}
