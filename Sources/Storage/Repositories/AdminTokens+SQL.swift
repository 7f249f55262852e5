package import Project

/// A named token of an administrator, as stored.
package struct AdminTokenRecord: Sendable, Hashable {
    package internal(set) var tokenID: String
    package internal(set) var projectID: String
    /// The name of the token's holder in the audit trail.
    package internal(set) var name: String
    /// The permitted uses: words with spaces between.
    package internal(set) var scopes: String
    /// SHA-256 of the token; the token itself is never stored.
    package internal(set) var tokenHash: [UInt8]
    package internal(set) var createdAt: Timestamp
    /// `nil` for a token that does not expire.
    package internal(set) var expiresAt: Timestamp?
    package var revokedAt: Timestamp?
    /// When the token was last used, accurate to a minute.
    package var lastUsedAt: Timestamp?

    package init(
        tokenID: String,
        projectID: String,
        name: String,
        scopes: String,
        tokenHash: [UInt8],
        createdAt: Timestamp,
        expiresAt: Timestamp?
    ) {
        self.tokenID = tokenID
        self.projectID = projectID
        self.name = name
        self.scopes = scopes
        self.tokenHash = tokenHash
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// Whether a token opens anything.
    package enum State: String, Sendable {
        case live, expired, revoked
    }

    package func state(at time: Timestamp) -> State {
        if revokedAt != nil { return .revoked }
        return expiresAt.map { $0 <= time } ?? false ? .expired : .live
    }
}

extension AdminTokenRecord: StoredRecord {
    static let table = TableDescriptor<Self>("admin_tokens", key: ["token_id"])
    static var blank: Self {
        Self(tokenID: "", projectID: "", name: "", scopes: "", tokenHash: [], createdAt: .blank, expiresAt: nil)
    }

    static func columns(_ column: inout some ColumnVisitor<Self>) {
        column("token_id", \.tokenID)
        column("project_id", \.projectID)
        column("name", \.name)
        column("scopes", \.scopes)
        column("token_hash", \.tokenHash)
        column("created_at", \.createdAt)
        column("expires_at", \.expiresAt)
        column("revoked_at", \.revokedAt)
        column("last_used_at", \.lastUsedAt)
    }
}

extension Transaction {
    /// Stores a new token.
    ///
    /// - Throws: `StorageError.uniqueViolation` when another live token of the project has its name.
    package func insertAdminToken(_ token: AdminTokenRecord) throws {
        try execute(token.insertion())
    }

    /// The token with a hash, also when it has ended; `nil` when it is unknown.
    package func adminToken(hash: [UInt8]) throws -> AdminTokenRecord? {
        try first("WHERE token_hash = \(hash)")
    }

    /// Every token of a project, oldest first, including ended ones.
    package func adminTokens(projectID: String) throws -> [AdminTokenRecord] {
        try all("WHERE project_id = \(projectID) ORDER BY created_at, token_id")
    }

    package func revokeAdminToken(_ tokenID: String, projectID: String, at time: Timestamp) throws -> AdminTokenRecord? {
        try queryOne(
            """
            UPDATE admin_tokens SET revoked_at = \(time)
            WHERE token_id = \(tokenID) AND project_id = \(projectID) AND revoked_at IS NULL
            RETURNING \(raw: AdminTokenRecord.table.names)
            """
        ).map(AdminTokenRecord.init(row:))
    }

    /// Records that a token was used.
    package func touchAdminToken(_ tokenID: String, at time: Timestamp) throws {
        try execute("UPDATE admin_tokens SET last_used_at = \(time) WHERE token_id = \(tokenID)")
    }
}
