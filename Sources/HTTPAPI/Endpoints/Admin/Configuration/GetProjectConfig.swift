import HTTPTypes
import Project
import Tenancy

/// `GET v2/projects/{project}/config` (`Docs/Contract/admin-config.md` §3).
struct GetProjectConfig: AdminEndpoint {
    static let summary = "Reads the configuration of the project."
    let route = Route.admin(.get, .readConfiguration, "/config")
    let project: ProjectConfigAdministration
    var content: AdminContent { AdminContent(answer: .config) }

    func handle(_ call: AdminCall) async throws -> JSONValue { try await project.get(call.context) }
}
