package import Project
import Storage
import Tenancy

/// Removes all accounts of a scope at once, for tests; in development only (`Docs/Contract/emulator-endpoints.md` §2).
package struct AccountReset: UsesRuntime {
    let runtime: Runtime

    /// Removes the accounts of a project or of one tenant, never both. No events are sent, and pending codes stay valid.
    ///
    /// - Parameter scope: Project or tenant; a tenant is made on first use.
    package func reset(_ scope: Scope) async throws {
        try await configurations.requireTenant(scope)
        try await database.write { try $0.deleteAllAccounts(scope) }
    }
}
