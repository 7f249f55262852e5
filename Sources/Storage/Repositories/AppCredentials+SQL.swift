package import Project

/// An installation of an iOS app that received a pushed secret, as stored.
package struct AppCredentialRecord: Sendable, Hashable {
    /// SHA-256 of the receipt.
    package let receiptHash: [UInt8]
    /// SHA-256 of the secret.
    package let secretHash: [UInt8]
    package let bundleID: String
    package let expiresAt: Timestamp

    package init(receiptHash: [UInt8], secretHash: [UInt8], bundleID: String, expiresAt: Timestamp) {
        self.receiptHash = receiptHash
        self.secretHash = secretHash
        self.bundleID = bundleID
        self.expiresAt = expiresAt
    }

    fileprivate init(row: Row) throws {
        receiptHash = try row.bytes("receipt_hash")
        secretHash = try row.bytes("secret_hash")
        bundleID = try row.text("bundle_id")
        expiresAt = try row.timestamp("expires_at")
    }
}

extension Transaction {
    /// Stores an installation.
    package func insertAppCredential(_ scope: Scope, _ credential: AppCredentialRecord) throws {
        try execute(
            """
            INSERT INTO app_credentials (receipt_hash, project_id, tenant_id, secret_hash, bundle_id, expires_at)
            VALUES (\(credential.receiptHash), \(scope.projectID), \(scope.tenantKey), \(credential.secretHash),
                \(credential.bundleID), \(credential.expiresAt.milliseconds))
            """
        )
    }

    /// The installation with a receipt, also when it has expired.
    package func appCredential(_ scope: Scope, receiptHash: [UInt8]) throws -> AppCredentialRecord? {
        try queryOne(
            """
            SELECT * FROM app_credentials WHERE receipt_hash = \(receiptHash) AND project_id = \(scope.projectID)
                AND tenant_id = \(scope.tenantKey)
            """
        ).map(AppCredentialRecord.init(row:))
    }

    /// Deletes an installation.
    package func deleteAppCredential(receiptHash: [UInt8]) throws {
        try execute("DELETE FROM app_credentials WHERE receipt_hash = \(receiptHash)")
    }

    /// Deletes expired installations, in one small batch.
    package func deleteAppCredentials(expiredBefore time: Timestamp, limit: Int) throws -> Int {
        try deleteFirst(limit, of: "app_credentials", where: "expires_at < \(time.milliseconds)", orderedBy: "expires_at")
    }
}
