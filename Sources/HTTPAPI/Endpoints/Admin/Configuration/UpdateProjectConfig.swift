import HTTPTypes
import Project
import Tenancy

/// `PATCH v2/projects/{project}/config?updateMask=` (`Docs/Contract/admin-config.md` §2 and §3).
struct UpdateProjectConfig: AdminEndpoint {
    static let summary = "Changes the configuration of the project."
    let route = Route.admin(.patch, .changeConfiguration, "/config")
    let project: ProjectConfigAdministration
    var content: AdminContent { AdminContent(request: .config, answer: .config, takesMask: true) }

    func handle(_ call: AdminCall) async throws -> JSONValue {
        try await project.update(call.body, mask: call.mask, context: call.context)
    }
}
