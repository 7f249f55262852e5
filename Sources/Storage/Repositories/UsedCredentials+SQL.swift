package import Project

extension Transaction {
    /// Records that a credential was accepted. The primary key of this table keeps credentials from being accepted twice.
    ///
    /// - Parameter hash: SHA-256 of the part that identifies the credential.
    package func useCredential(_ scope: Scope, hash: [UInt8], expiresAt: Timestamp) throws -> Bool {
        try execute(
            """
            INSERT INTO used_credentials (project_id, tenant_id, credential_hash, expires_at)
            VALUES (\(scope.projectID), \(scope.tenantKey), \(hash), \(expiresAt))
            ON CONFLICT (project_id, tenant_id, credential_hash) DO NOTHING
            """
        ) > 0
    }

    /// The time until which a used credential is remembered; `nil` when it was not used.
    package func usedCredentialExpiry(_ scope: Scope, hash: [UInt8]) throws -> Timestamp? {
        try queryOne(
            """
            SELECT expires_at FROM used_credentials
            WHERE \(scope) AND credential_hash = \(hash)
            """
        )?.timestamp("expires_at")
    }

    package func forgetCredential(_ scope: Scope, hash: [UInt8]) throws {
        try execute("DELETE FROM used_credentials WHERE \(scope) AND credential_hash = \(hash)")
    }
}
