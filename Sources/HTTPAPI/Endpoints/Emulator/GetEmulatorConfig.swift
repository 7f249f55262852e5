import HTTPTypes
import Project
import Tenancy

/// `GET emulator/v1/projects/{project}/config`, in development only (`Docs/Contract/emulator-endpoints.md` §2).
struct GetEmulatorConfig: AdminEndpoint {
    static let summary = "Reads what the emulator lets tests configure."
    let route = Route.emulator(.get, "projects/{project}/config")
    let project: ProjectConfigAdministration
    var content: AdminContent { AdminContent(answer: .config) }

    func handle(_ call: AdminCall) async throws -> JSONValue { try await project.emulatorConfig(call.context) }
}
