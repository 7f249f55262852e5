import Accounts
import HTTPTypes
import Project

/// `GET emulator/v1/projects/{project}/config`, in development only (`contract/emulator-endpoints.md` §2).
struct GetEmulatorConfig: AdminEndpoint {
    let route = Route.emulator(.get, "projects/{project}/config")
    let project: ProjectConfigAdministration

    func handle(_ call: AdminCall) async throws -> JSONValue { try await project.emulatorConfig(call.context) }
}
