import Project
import Storage

/// Decides whether administrators may use a project's tenants, and whether a tenant exists (`Docs/Contract/admin-config.md` §12).
struct TenantGate: Sendable {
    let configurations: ConfigurationStore

    /// Checks the scope of a call.
    ///
    /// - Throws: `APIError` `INVALID_PROJECT_ID` in production when `multiTenant.allowTenants` is off (it is on unless it was
    ///   switched off); `TENANT_NOT_FOUND`, in development only for a text that cannot be an id.
    func pass(_ scope: Scope) async throws {
        if configurations.mode.heedsTenantSwitch {
            let config = try await configurations.database.read {
                try $0.resource(scope.project, kind: .config, resourceID: "")
            }
            if config?["multiTenant"]?["allowTenants"] == false {
                throw APIError(.invalidProjectID, "Multi-tenancy is not enabled for the project.")
            }
        }
        try await pass(tenantOf: scope)
    }

    /// Checks the scope of a call that concerns the contents of a tenant, or no tenant.
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
