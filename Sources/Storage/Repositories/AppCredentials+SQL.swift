package import Project

/// An installation of an iOS app that received a pushed secret, as stored.
package struct AppCredentialRecord: Sendable, Hashable {
    /// SHA-256 of the receipt.
    package internal(set) var receiptHash: [UInt8]
    /// SHA-256 of the secret.
    package internal(set) var secretHash: [UInt8]
    package internal(set) var bundleID: String
    package internal(set) var expiresAt: Timestamp

    package init(receiptHash: [UInt8], secretHash: [UInt8], bundleID: String, expiresAt: Timestamp) {
        self.receiptHash = receiptHash
        self.secretHash = secretHash
        self.bundleID = bundleID
        self.expiresAt = expiresAt
    }
}

extension AppCredentialRecord: StoredRecord {
    static let table = TableDescriptor<Self>("app_credentials", of: .scope, key: ["receipt_hash"])
    static var blank: Self { Self(receiptHash: [], secretHash: [], bundleID: "", expiresAt: .blank) }

    static func columns(_ column: inout some ColumnVisitor<Self>) {
        column("receipt_hash", \.receiptHash)
        column("secret_hash", \.secretHash)
        column("bundle_id", \.bundleID)
        column("expires_at", \.expiresAt)
    }
}

extension Transaction {
    /// Stores an installation.
    package func insertAppCredential(_ scope: Scope, _ credential: AppCredentialRecord) throws {
        try execute(credential.insertion(of: scope.values))
    }

    /// The installation with a receipt, also when it has expired.
    package func appCredential(_ scope: Scope, receiptHash: [UInt8]) throws -> AppCredentialRecord? {
        try first("WHERE receipt_hash = \(receiptHash) AND \(scope)")
    }

    package func deleteAppCredential(receiptHash: [UInt8]) throws {
        try execute("DELETE FROM app_credentials WHERE receipt_hash = \(receiptHash)")
    }
}
