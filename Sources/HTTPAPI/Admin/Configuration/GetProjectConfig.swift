import Accounts
import HTTPTypes
import Project

/// `GET v2/projects/{project}/config` (`contract/admin-config.md` §3).
struct GetProjectConfig: AdminEndpoint {
    let route = Route.admin(.get, "/config")
    let project: ProjectConfigAdministration

    func handle(_ call: AdminCall) async throws -> JSONValue { try await project.get(call.context) }
}
