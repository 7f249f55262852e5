package import Project

extension Transaction {
    /// Deletes every account of a scope with its identities, passkeys and sessions. Codes, tenants and configuration stay.
    package func deleteAllAccounts(_ scope: Scope) throws {
        // No refresh token may outlive its account, because another account may get the same id.
        try execute("DELETE FROM sessions WHERE \(scope)")
        try execute("DELETE FROM accounts WHERE \(scope)")
    }
}
