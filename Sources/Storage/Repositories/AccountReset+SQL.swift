package import Project

extension Transaction {
    /// Removes every account of a scope with its identities, passkeys and sessions; codes, tenants and configuration stay.
    package func deleteAllAccounts(_ scope: Scope) throws {
        // No refresh token must outlive its account: another may be given the same id.
        try execute("DELETE FROM sessions WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey)")
        try execute("DELETE FROM accounts WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey)")
    }
}
