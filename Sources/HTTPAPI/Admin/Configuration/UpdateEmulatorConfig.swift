import Accounts
import HTTPTypes
import Project

/// `PATCH emulator/v1/projects/{project}/config`, in development only (`contract/emulator-endpoints.md` §2).
struct UpdateEmulatorConfig: AdminEndpoint {
    let route = Route.emulator(.patch, "projects/{project}/config")
    let project: ProjectConfigAdministration

    func handle(_ call: AdminCall) async throws -> JSONValue {
        try await project.updateEmulatorConfig(call.body, context: call.context)
    }
}
