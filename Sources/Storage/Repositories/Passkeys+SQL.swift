package import Project

/// A WebAuthn credential of an account (`Docs/Contract/phone-and-mfa.md` §9).
package struct PasskeyRecord: Sendable, Hashable {
    /// The credential id in base64url. Development accepts any text.
    package internal(set) var credentialID: String
    package internal(set) var localID: String
    /// The user's name for it.
    package internal(set) var name: String
    /// The public key as a COSE_Key (RFC 9052 §7); `nil` when development trusted the id alone.
    package internal(set) var publicKey: [UInt8]?
    /// The authenticator's signature counter when it was last used.
    package var signCount: Int64
    package internal(set) var createdAt: Timestamp

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
}

extension PasskeyRecord: StoredRecord {
    static let table = TableDescriptor<Self>("passkeys", of: .scope, key: ["project_id", "tenant_id", "credential_id"])
    static var blank: Self { Self(credentialID: "", localID: "", name: "", publicKey: nil, signCount: 0, createdAt: .blank) }

    static func columns(_ column: inout some ColumnVisitor<Self>) {
        column("credential_id", \.credentialID)
        column("local_id", \.localID)
        column("name", \.name)
        column("public_key", \.publicKey)
        column("sign_count", \.signCount)
        column("created_at", \.createdAt)
    }
}

extension Transaction {
    /// Stores a credential.
    ///
    /// - Returns: `false` when an account of the scope already has it.
    package func insertPasskey(_ scope: Scope, _ passkey: PasskeyRecord) throws -> Bool {
        let insertion = passkey.insertion(of: scope.values)
        return try execute("\(sql: insertion) ON CONFLICT (project_id, tenant_id, credential_id) DO NOTHING") > 0
    }

    /// The credential with an id, of any account; `nil` when there is none.
    package func passkey(_ scope: Scope, credentialID: String) throws -> PasskeyRecord? {
        try first("WHERE \(scope) AND credential_id = \(credentialID)")
    }

    /// The credentials of an account, oldest first.
    package func passkeys(_ scope: Scope, localID: String) throws -> [PasskeyRecord] {
        try all("WHERE \(scope) AND local_id = \(localID) ORDER BY created_at, credential_id")
    }

    /// Records the signature counter of a use.
    package func updatePasskey(_ scope: Scope, credentialID: String, signCount: Int64) throws {
        try execute("UPDATE passkeys SET sign_count = \(signCount) WHERE \(scope) AND credential_id = \(credentialID)")
    }

    /// Removes one credential of an account. A credential of another account is left unchanged.
    package func deletePasskey(_ scope: Scope, localID: String, credentialID: String) throws {
        try execute("DELETE FROM passkeys WHERE \(scope) AND local_id = \(localID) AND credential_id = \(credentialID)")
    }

    /// Removes every credential of an account.
    package func deleteAllPasskeys(_ scope: Scope, localID: String) throws {
        try execute("DELETE FROM passkeys WHERE \(scope) AND local_id = \(localID)")
    }

    /// Removes the credentials of an account that were registered at a time or later.
    package func deletePasskeys(_ scope: Scope, localID: String, createdSince time: Timestamp) throws {
        try execute("DELETE FROM passkeys WHERE \(scope) AND local_id = \(localID) AND created_at >= \(time)")
    }
}
