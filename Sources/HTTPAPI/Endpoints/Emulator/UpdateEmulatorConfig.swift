import HTTPTypes
import Project
import Tenancy

/// `PATCH emulator/v1/projects/{project}/config`, in development only (`Docs/Contract/emulator-endpoints.md` §2).
struct UpdateEmulatorConfig: AdminEndpoint {
    static let summary = "Changes what the emulator lets tests configure."
    let route = Route.emulator(.patch, "projects/{project}/config")
    let project: ProjectConfigAdministration
    var content: AdminContent { AdminContent(request: .config, answer: .config) }

    func handle(_ call: AdminCall) async throws -> JSONValue {
        try await project.updateEmulatorConfig(call.body, context: call.context)
    }
}
