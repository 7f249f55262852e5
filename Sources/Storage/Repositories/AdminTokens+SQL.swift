package import Project

/// A named token of an administrator, as stored.
package struct AdminTokenRecord: Sendable, Hashable {
    package let tokenID: String
    package let projectID: String
    /// The name of the token's holder in the audit trail.
    package let name: String
    /// The permitted uses: words with spaces between.
    package let scopes: String
    /// SHA-256 of the token; the token itself is never stored.
    package let tokenHash: [UInt8]
    package let createdAt: Timestamp
    /// `nil` for a token that does not expire.
    package let expiresAt: Timestamp?
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

    /// The state at a time.
    package func state(at time: Timestamp) -> State {
        if revokedAt != nil { return .revoked }
        return expiresAt.map { $0 <= time } ?? false ? .expired : .live
    }

    static let columns = "token_id, project_id, name, scopes, token_hash, created_at, expires_at, revoked_at, last_used_at"

    init(row: Row) throws {
        tokenID = try row.text("token_id")
        projectID = try row.text("project_id")
        name = try row.text("name")
        scopes = try row.text("scopes")
        tokenHash = try row.bytes("token_hash")
        createdAt = try row.timestamp("created_at")
        expiresAt = try row.timestampIfPresent("expires_at")
        revokedAt = try row.timestampIfPresent("revoked_at")
        lastUsedAt = try row.timestampIfPresent("last_used_at")
    }
}

extension Transaction {
    /// Stores a new token.
    ///
    /// - Throws: `StorageError.uniqueViolation` when another live token of the project has its name.
    package func insertAdminToken(_ token: AdminTokenRecord) throws {
        try execute(
            """
            INSERT INTO admin_tokens (\(raw: AdminTokenRecord.columns)) VALUES (
                \(token.tokenID), \(token.projectID), \(token.name), \(token.scopes), \(token.tokenHash),
                \(token.createdAt.milliseconds), \(token.expiresAt?.milliseconds), \(token.revokedAt?.milliseconds),
                \(token.lastUsedAt?.milliseconds))
            """
        )
    }

    /// The token with a hash, also when it has ended; `nil` when it is unknown.
    package func adminToken(hash: [UInt8]) throws -> AdminTokenRecord? {
        try queryOne("SELECT \(raw: AdminTokenRecord.columns) FROM admin_tokens WHERE token_hash = \(hash)")
            .map(AdminTokenRecord.init(row:))
    }

    /// Every token of a project, oldest first, including ended ones.
    package func adminTokens(projectID: String) throws -> [AdminTokenRecord] {
        try query(
            """
            SELECT \(raw: AdminTokenRecord.columns) FROM admin_tokens
            WHERE project_id = \(projectID) ORDER BY created_at, token_id
            """
        ).map(AdminTokenRecord.init(row:))
    }

    /// Revokes a live token of a project.
    package func revokeAdminToken(_ tokenID: String, projectID: String, at time: Timestamp) throws -> AdminTokenRecord? {
        try queryOne(
            """
            UPDATE admin_tokens SET revoked_at = \(time.milliseconds)
            WHERE token_id = \(tokenID) AND project_id = \(projectID) AND revoked_at IS NULL
            RETURNING \(raw: AdminTokenRecord.columns)
            """
        ).map(AdminTokenRecord.init(row:))
    }

    /// Records that a token was used.
    package func touchAdminToken(_ tokenID: String, at time: Timestamp) throws {
        try execute("UPDATE admin_tokens SET last_used_at = \(time.milliseconds) WHERE token_id = \(tokenID)")
    }
}
