package import Project

/// A WebAuthn credential of an operator.
package struct OperatorPasskeyRecord: Sendable, Hashable {
    /// The credential id in base64url.
    package let credentialID: String
    package let operatorID: String
    /// The operator's name for it.
    package let name: String
    /// The public key as a COSE_Key (RFC 9052 §7).
    package let publicKey: [UInt8]
    package let signCount: Int64
    package let createdAt: Timestamp
    package let lastUsedAt: Timestamp?

    package init(
        credentialID: String,
        operatorID: String,
        name: String,
        publicKey: [UInt8],
        signCount: Int64,
        createdAt: Timestamp
    ) {
        self.credentialID = credentialID
        self.operatorID = operatorID
        self.name = name
        self.publicKey = publicKey
        self.signCount = signCount
        self.createdAt = createdAt
        lastUsedAt = nil
    }

    fileprivate static let columns = "credential_id, operator_id, name, public_key, sign_count, created_at, last_used_at"

    fileprivate init(row: Row) throws {
        credentialID = try row.text("credential_id")
        operatorID = try row.text("operator_id")
        name = try row.text("name")
        publicKey = try row.bytes("public_key")
        signCount = try row.integer("sign_count")
        createdAt = try row.timestamp("created_at")
        lastUsedAt = try row.timestampIfPresent("last_used_at")
    }
}

extension Transaction {
    /// Stores a credential.
    ///
    /// - Returns: `false` when an operator of the project already has it.
    package func insertOperatorPasskey(_ project: String, _ passkey: OperatorPasskeyRecord) throws -> Bool {
        try execute(
            """
            INSERT INTO operator_passkeys (project_id, \(raw: OperatorPasskeyRecord.columns)) VALUES (
                \(project), \(passkey.credentialID), \(passkey.operatorID), \(passkey.name), \(passkey.publicKey),
                \(passkey.signCount), \(passkey.createdAt.milliseconds), \(passkey.lastUsedAt?.milliseconds))
            ON CONFLICT (project_id, credential_id) DO NOTHING
            """
        ) > 0
    }

    /// The credential with an id, of any operator; `nil` when there is none.
    package func operatorPasskey(_ project: String, credentialID: String) throws -> OperatorPasskeyRecord? {
        try queryOne(
            """
            SELECT \(raw: OperatorPasskeyRecord.columns) FROM operator_passkeys
            WHERE project_id = \(project) AND credential_id = \(credentialID)
            """
        ).map(OperatorPasskeyRecord.init(row:))
    }

    /// The credentials of an operator, oldest first.
    package func operatorPasskeys(_ project: String, operatorID: String) throws -> [OperatorPasskeyRecord] {
        try query(
            """
            SELECT \(raw: OperatorPasskeyRecord.columns) FROM operator_passkeys
            WHERE project_id = \(project) AND operator_id = \(operatorID) ORDER BY created_at, credential_id
            """
        ).map(OperatorPasskeyRecord.init(row:))
    }

    /// Records a use of a credential.
    package func updateOperatorPasskey(
        _ project: String,
        credentialID: String,
        signCount: Int64,
        at time: Timestamp
    ) throws {
        try execute(
            """
            UPDATE operator_passkeys SET sign_count = \(signCount), last_used_at = \(time.milliseconds)
            WHERE project_id = \(project) AND credential_id = \(credentialID)
            """
        )
    }

    /// Removes one credential of an operator. A credential of another operator is left unchanged.
    package func deleteOperatorPasskey(_ project: String, operatorID: String, credentialID: String) throws -> Bool {
        try execute(
            """
            DELETE FROM operator_passkeys
            WHERE project_id = \(project) AND operator_id = \(operatorID) AND credential_id = \(credentialID)
            """
        ) > 0
    }
}
