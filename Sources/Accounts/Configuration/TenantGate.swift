import Project
import Storage

/// Whether administrators may speak of a project's tenants, and of this one (`contract/admin-config.md` §12).
struct TenantGate: Sendable {
    let database: any Database
    let configurations: ConfigurationStore
    let mode: ModeRules

    /// Lets a call pass.
    ///
    /// - Throws: `APIError` `INVALID_PROJECT_ID` in production when `multiTenant.allowTenants` was switched off (whoever runs a
    ///   server of their own need not be asked to switch tenants on); `TENANT_NOT_FOUND`, in development only for a text that can
    ///   be no id.
    func pass(_ scope: Scope) async throws {
        if mode.heedsTenantSwitch {
            let config = try await database.read { try $0.resource(scope.project, kind: .config, resourceID: "") }
            if config?["multiTenant"]?["allowTenants"] == false {
                throw APIError(.invalidProjectID, "Multi-tenancy is not enabled for the project.")
            }
        }
        try await pass(tenantOf: scope)
    }

    /// Lets a call pass that concerns a tenant's inside, or no tenant.
    ///
    /// - Throws: As ``pass(_:)`` for the tenant.
    func passIfTenant(_ scope: Scope) async throws {
        if scope.tenantID != nil { try await pass(scope) }
    }

    private func pass(tenantOf scope: Scope) async throws {
        do {
            try await configurations.requireTenant(scope)
        } catch let error as APIError where error.code == .invalidTenantID {
            throw APIError(.tenantNotFound)
        }
    }
}
