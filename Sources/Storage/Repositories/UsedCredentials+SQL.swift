package import Project

extension Transaction {
    /// Records that a credential was accepted; the replay guard's truth is this table's primary key.
    ///
    /// - Parameters:
    ///   - scope: Where it was used.
    ///   - hash: SHA-256 of what identifies the credential.
    ///   - expiresAt: When the credential would no longer be accepted anyway.
    /// - Returns: `false` when it had been accepted before.
    /// - Throws: `StorageError`.
    package func useCredential(_ scope: Scope, hash: [UInt8], expiresAt: Timestamp) throws -> Bool {
        try execute(
            """
            INSERT INTO used_credentials (project_id, tenant_id, credential_hash, expires_at)
            VALUES (\(scope.projectID), \(scope.tenantKey), \(hash), \(expiresAt.milliseconds))
            ON CONFLICT (project_id, tenant_id, credential_hash) DO NOTHING
            """
        ) > 0
    }

    /// Until when a used credential is remembered; `nil` when it was not used.
    package func usedCredentialExpiry(_ scope: Scope, hash: [UInt8]) throws -> Timestamp? {
        try queryOne(
            """
            SELECT expires_at FROM used_credentials
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND credential_hash = \(hash)
            """
        )?.timestamp("expires_at")
    }

    /// Forgets one credential.
    package func forgetCredential(_ scope: Scope, hash: [UInt8]) throws {
        try execute(
            """
            DELETE FROM used_credentials
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND credential_hash = \(hash)
            """
        )
    }

    /// Forgets credentials that have expired, in one small batch.
    ///
    /// - Returns: How many were forgotten.
    /// - Throws: `StorageError`.
    package func deleteExpiredCredentials(before time: Timestamp, limit: Int) throws -> Int {
        try execute(
            """
            DELETE FROM used_credentials WHERE (project_id, tenant_id, credential_hash) IN (
                SELECT project_id, tenant_id, credential_hash FROM used_credentials
                WHERE expires_at < \(time.milliseconds) ORDER BY expires_at LIMIT \(limit))
            """
        )
    }
}
