package import Project

/// A WebAuthn credential of an operator.
package struct OperatorPasskeyRecord: Sendable, Hashable {
    /// The credential id in base64url.
    package internal(set) var credentialID: String
    package internal(set) var operatorID: String
    /// The operator's name for it.
    package internal(set) var name: String
    /// The public key as a COSE_Key (RFC 9052 §7).
    package internal(set) var publicKey: [UInt8]
    package internal(set) var signCount: Int64
    package internal(set) var createdAt: Timestamp
    package internal(set) var lastUsedAt: Timestamp?

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
}

extension OperatorPasskeyRecord: StoredRecord {
    static let table = TableDescriptor<Self>("operator_passkeys", of: .project, key: ["project_id", "credential_id"])
    static var blank: Self { Self(credentialID: "", operatorID: "", name: "", publicKey: [], signCount: 0, createdAt: .blank) }

    static func columns(_ column: inout some ColumnVisitor<Self>) {
        column("credential_id", \.credentialID)
        column("operator_id", \.operatorID)
        column("name", \.name)
        column("public_key", \.publicKey)
        column("sign_count", \.signCount)
        column("created_at", \.createdAt)
        column("last_used_at", \.lastUsedAt)
    }
}

extension Transaction {
    /// Stores a credential.
    ///
    /// - Returns: `false` when an operator of the project already has it.
    package func insertOperatorPasskey(_ project: String, _ passkey: OperatorPasskeyRecord) throws -> Bool {
        let insertion = passkey.insertion(of: [.text(project)])
        return try execute("\(sql: insertion) ON CONFLICT (project_id, credential_id) DO NOTHING") > 0
    }

    /// The credential with an id, of any operator; `nil` when there is none.
    package func operatorPasskey(_ project: String, credentialID: String) throws -> OperatorPasskeyRecord? {
        try first("WHERE project_id = \(project) AND credential_id = \(credentialID)")
    }

    /// The credentials of an operator, oldest first.
    package func operatorPasskeys(_ project: String, operatorID: String) throws -> [OperatorPasskeyRecord] {
        try all("WHERE project_id = \(project) AND operator_id = \(operatorID) ORDER BY created_at, credential_id")
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
            UPDATE operator_passkeys SET sign_count = \(signCount), last_used_at = \(time)
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
