import Accounts
import HTTPTypes
import Project

/// `DELETE emulator/v1/projects/{project}[/tenants/{tenant}]/accounts`, in development only
/// (`Docs/Contract/emulator-endpoints.md` §2).
struct ClearAccounts: AdminEndpoint {
    static let summary = "Deletes every account of a project or tenant."

    let level: AdminLevel
    let reset: AccountReset

    var route: Route { .emulator(.delete, "projects/{project}\(level.path)/accounts") }

    var content: AdminContent { .nothing }

    func handle(_ call: AdminCall) async throws -> JSONValue {
        try await reset.reset(call.context.scope)
        return [:]
    }
}
