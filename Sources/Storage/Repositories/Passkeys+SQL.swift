package import Project

/// A WebAuthn credential of an account (`Docs/Contract/phone-and-mfa.md` §9).
package struct PasskeyRecord: Sendable, Hashable {
    /// The credential id in base64url. Development accepts any text.
    package let credentialID: String
    package let localID: String
    /// The user's name for it.
    package let name: String
    /// The public key as a COSE_Key (RFC 9052 §7); `nil` when development trusted the id alone.
    package let publicKey: [UInt8]?
    /// The authenticator's signature counter when it was last used.
    package var signCount: Int64
    package let createdAt: Timestamp

    package init(
        credentialID: String,
        localID: String,
        name: String,
        publicKey: [UInt8]?,
        signCount: Int64,
        createdAt: Timestamp
    ) {
        self.credentialID = credentialID
        self.localID = localID
        self.name = name
        self.publicKey = publicKey
        self.signCount = signCount
        self.createdAt = createdAt
    }

    fileprivate static let columns = "credential_id, local_id, name, public_key, sign_count, created_at"

    fileprivate init(row: Row) throws {
        credentialID = try row.text("credential_id")
        localID = try row.text("local_id")
        name = try row.text("name")
        publicKey = try row.bytesIfPresent("public_key")
        signCount = try row.integer("sign_count")
        createdAt = try row.timestamp("created_at")
    }
}

extension Transaction {
    /// Stores a credential.
    ///
    /// - Returns: `false` when an account of the scope already has it.
    package func insertPasskey(_ scope: Scope, _ passkey: PasskeyRecord) throws -> Bool {
        try execute(
            """
            INSERT INTO passkeys (project_id, tenant_id, \(raw: PasskeyRecord.columns))
            VALUES (\(scope.projectID), \(scope.tenantKey), \(passkey.credentialID), \(passkey.localID), \(passkey.name),
                \(passkey.publicKey), \(passkey.signCount), \(passkey.createdAt.milliseconds))
            ON CONFLICT (project_id, tenant_id, credential_id) DO NOTHING
            """
        ) > 0
    }

    /// The credential with an id, of any account; `nil` when there is none.
    package func passkey(_ scope: Scope, credentialID: String) throws -> PasskeyRecord? {
        try queryOne(
            """
            SELECT \(raw: PasskeyRecord.columns) FROM passkeys
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND credential_id = \(credentialID)
            """
        ).map(PasskeyRecord.init(row:))
    }

    /// The credentials of an account, oldest first.
    package func passkeys(_ scope: Scope, localID: String) throws -> [PasskeyRecord] {
        try query(
            """
            SELECT \(raw: PasskeyRecord.columns) FROM passkeys
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND local_id = \(localID)
            ORDER BY created_at, credential_id
            """
        ).map(PasskeyRecord.init(row:))
    }

    /// Records the signature counter of a use.
    package func updatePasskey(_ scope: Scope, credentialID: String, signCount: Int64) throws {
        try execute(
            """
            UPDATE passkeys SET sign_count = \(signCount)
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND credential_id = \(credentialID)
            """
        )
    }

    /// Removes one credential of an account. A credential of another account is left unchanged.
    package func deletePasskey(_ scope: Scope, localID: String, credentialID: String) throws {
        try execute(
            """
            DELETE FROM passkeys WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey)
                AND local_id = \(localID) AND credential_id = \(credentialID)
            """
        )
    }

    /// Removes every credential of an account.
    package func deleteAllPasskeys(_ scope: Scope, localID: String) throws {
        try execute(
            """
            DELETE FROM passkeys WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey)
                AND local_id = \(localID)
            """
        )
    }

    /// Removes the credentials of an account that were registered at a time or later.
    package func deletePasskeys(_ scope: Scope, localID: String, createdSince time: Timestamp) throws {
        try execute(
            """
            DELETE FROM passkeys WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey)
                AND local_id = \(localID) AND created_at >= \(time.milliseconds)
            """
        )
    }
}
