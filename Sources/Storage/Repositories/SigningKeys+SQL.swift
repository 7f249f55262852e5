package import Project

/// A signing key as stored (`Docs/Architecture.md#secrets-and-tokens`).
package struct SigningKeyRecord: Sendable, Hashable {
    package internal(set) var kid: String
    package internal(set) var purpose: String
    /// The private key, sealed under the master key.
    package internal(set) var sealedPrivateKey: String
    /// The public key in a self-signed X.509 certificate, PEM.
    package internal(set) var certificate: String
    package internal(set) var createdAt: Timestamp
    /// When it began to sign; `nil` while it is published only.
    package var activatedAt: Timestamp?
    /// When it ceased to sign; `nil` while it signs or waits.
    package var retiredAt: Timestamp?

    package init(
        kid: String,
        purpose: String,
        sealedPrivateKey: String,
        certificate: String,
        createdAt: Timestamp,
        activatedAt: Timestamp? = nil
    ) {
        self.kid = kid
        self.purpose = purpose
        self.sealedPrivateKey = sealedPrivateKey
        self.certificate = certificate
        self.createdAt = createdAt
        self.activatedAt = activatedAt
    }
}

extension SigningKeyRecord: StoredRecord {
    static let table = TableDescriptor<Self>("signing_keys", key: ["kid"])
    static var blank: Self { Self(kid: "", purpose: "", sealedPrivateKey: "", certificate: "", createdAt: .blank) }

    static func columns(_ column: inout some ColumnVisitor<Self>) {
        column("kid", \.kid)
        column("purpose", \.purpose)
        column("private_key", \.sealedPrivateKey)
        column("certificate", \.certificate)
        column("created_at", \.createdAt)
        column("activated_at", \.activatedAt)
        column("retired_at", \.retiredAt)
    }
}

extension Transaction {
    /// The purposes that have keys, in the order of their names.
    package func signingKeyPurposes() throws -> [String] {
        try query("SELECT DISTINCT purpose FROM signing_keys ORDER BY purpose").map { try $0.text("purpose") }
    }

    /// The keys of a purpose, oldest first.
    package func signingKeys(purpose: String) throws -> [SigningKeyRecord] {
        try all("WHERE purpose = \(purpose) ORDER BY created_at, kid")
    }

    /// Stores a new key.
    ///
    /// - Throws: `StorageError.uniqueViolation` when the purpose already has a signing key, or a successor waiting.
    package func insertSigningKey(_ key: SigningKeyRecord) throws {
        try execute(key.insertion())
    }

    package func retireSigningKey(purpose: String, at time: Timestamp) throws {
        try execute(
            """
            UPDATE signing_keys SET retired_at = \(time)
            WHERE purpose = \(purpose) AND activated_at IS NOT NULL AND retired_at IS NULL
            """
        )
    }

    /// Makes the published successor of a purpose its signing key.
    package func activateNextSigningKey(purpose: String, at time: Timestamp) throws -> Bool {
        try execute("UPDATE signing_keys SET activated_at = \(time) WHERE purpose = \(purpose) AND activated_at IS NULL") > 0
    }

    package func deleteSigningKey(_ kid: String, purpose: String) throws -> Bool {
        try execute("DELETE FROM signing_keys WHERE purpose = \(purpose) AND kid = \(kid)") > 0
    }

    /// Deletes keys that ceased to sign before `time`.
    package func deleteSigningKeys(purpose: String, retiredBefore time: Timestamp) throws {
        try execute("DELETE FROM signing_keys WHERE purpose = \(purpose) AND retired_at < \(time)")
    }
}
