import Accounts
import HTTPTypes
import Project

extension AdminMethod {
    /// `DELETE emulator/v1/projects/{project}[/tenants/{tenant}]/accounts`, in development only
    /// (`Docs/Contract/emulator-endpoints.md` §2).
    static func clearAccounts(at level: AdminLevel, _ reset: AccountReset) -> AdminMethod {
        AdminMethod(
            name: "ClearAccounts",
            summary: "Deletes every account of a project or tenant.",
            route: .emulator(.delete, "projects/{project}\(level.path)/accounts")
        ) {
            try await reset.run($0.context.scope)
            return [:]
        }
    }
}
