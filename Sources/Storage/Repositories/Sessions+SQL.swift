package import Project

/// A session, which a refresh token continues (`Docs/Contract/tokens.md` §2.1).
package struct SessionRecord: Sendable, Hashable {
    /// SHA-256 of the refresh token; the token itself is never stored.
    package internal(set) var tokenHash: [UInt8]
    package internal(set) var scope: Scope
    package internal(set) var localID: String
    /// The name with which administrators list and revoke it.
    package internal(set) var sessionID: String
    package internal(set) var signInProvider: String
    /// Extra claims of this session: a JSON object's text.
    package var claims: String?
    /// `firebase.sign_in_attributes`: a JSON object's text.
    package var signInAttributes: String?
    package var userAgent: String?
    /// When the user signed in, in seconds. Refreshing never changes it.
    package internal(set) var authTime: Int64
    package internal(set) var createdAt: Timestamp
    package var lastUsedAt: Timestamp
    package var revokedAt: Timestamp?
    /// The second factor that the session was begun with.
    package var secondFactor: UsedSecondFactor?

    package init(
        tokenHash: [UInt8],
        scope: Scope,
        localID: String,
        sessionID: String,
        signInProvider: String,
        authTime: Int64,
        createdAt: Timestamp
    ) {
        self.tokenHash = tokenHash
        self.scope = scope
        self.localID = localID
        self.sessionID = sessionID
        self.signInProvider = signInProvider
        self.authTime = authTime
        self.createdAt = createdAt
        self.lastUsedAt = createdAt
    }

    /// Whether the session has ended: it was revoked, or it began before its account's tokens became invalid.
    ///
    /// - Parameter account: The session's account, as it is now.
    package func hasEnded(by account: AccountRecord) -> Bool {
        if revokedAt != nil { return true }
        return account.validSince.map { createdAt.seconds < $0 } ?? false
    }
}

/// The second factor that a session was begun with (`Docs/Contract/tokens.md` §1.3).
package struct UsedSecondFactor: Sendable, Hashable {
    /// `phone` or `totp`.
    package let kind: String
    /// `mfaEnrollmentId`.
    package let enrollmentID: String

    package init(kind: String, enrollmentID: String) {
        self.kind = kind
        self.enrollmentID = enrollmentID
    }
}

extension SessionRecord: StoredRecord {
    static let table = TableDescriptor<Self>("sessions", key: ["token_hash"])
    static var blank: Self {
        Self(tokenHash: [], scope: .blank, localID: "", sessionID: "", signInProvider: "", authTime: 0, createdAt: .blank)
    }

    static func columns(_ column: inout some ColumnVisitor<Self>) {
        column("token_hash", \.tokenHash)
        column("project_id", \.scope.projectColumn)
        column("tenant_id", \.scope.tenantColumn)
        column("local_id", \.localID)
        column("session_id", \.sessionID)
        column("sign_in_provider", \.signInProvider)
        column("claims", \.claims)
        column("sign_in_attributes", \.signInAttributes)
        column("user_agent", \.userAgent)
        column("auth_time", \.authTime)
        column("created_at", \.createdAt)
        column("last_used_at", \.lastUsedAt)
        column("revoked_at", \.revokedAt)
        column("second_factor", \.secondFactorKind)
        column("second_factor_id", \.secondFactorID)
    }

    private var secondFactorKind: String? {
        get { secondFactor?.kind }
        set { secondFactor = newValue.map { UsedSecondFactor(kind: $0, enrollmentID: "") } }
    }

    // A row has both columns or neither.
    private var secondFactorID: String? {
        get { secondFactor?.enrollmentID }
        set {
            secondFactor = secondFactor.flatMap { used in newValue.map { UsedSecondFactor(kind: used.kind, enrollmentID: $0) } }
        }
    }
}

extension Transaction {
    /// The live sessions of an account, the most recently used first.
    package func liveSessions(_ scope: Scope, localID: String) throws -> [SessionRecord] {
        try all("WHERE \(scope) AND local_id = \(localID) AND revoked_at IS NULL ORDER BY last_used_at DESC")
    }

    /// Stores a new session. It becomes the most recently used one of its account, even if a node with a faster clock has used
    /// another.
    package func insertSession(_ session: SessionRecord) throws {
        let (scope, used) = (session.scope, session.lastUsedAt)
        let latest = used.advanced(by: ClockSkew.limit)
        let lastUse: SQL = """
            COALESCE((SELECT max(last_used_at) + 1 FROM sessions WHERE \(scope) AND local_id = \(session.localID)
                AND revoked_at IS NULL AND last_used_at > \(used) AND last_used_at <= \(latest)), \(used))
            """
        try execute(session.insertion(computing: "last_used_at", as: lastUse))
    }

    /// Ends the least recently used sessions of an account beyond the `keep` newest (`limits.sessionsPerUser`).
    ///
    /// - Returns: The hashes of their refresh tokens.
    @discardableResult
    package func endSurplusSessions(_ scope: Scope, localID: String, keep: Int, at time: Timestamp) throws -> [[UInt8]] {
        // In the usual case there is none, and this look-up stays inside the index.
        let surplus = try queryOne(
            """
            SELECT last_used_at FROM sessions WHERE \(scope) AND local_id = \(localID) AND revoked_at IS NULL
            ORDER BY last_used_at DESC LIMIT 1 OFFSET \(keep)
            """
        )
        guard let limit = try surplus?.integer("last_used_at") else { return [] }
        // Of sessions that were used in one millisecond no more end than are too many.
        let ended = try query(
            """
            UPDATE sessions SET revoked_at = \(time)
            WHERE \(scope) AND local_id = \(localID) AND revoked_at IS NULL AND last_used_at <= \(limit)
                AND token_hash NOT IN (
                    SELECT token_hash FROM sessions WHERE \(scope) AND local_id = \(localID) AND revoked_at IS NULL
                    ORDER BY last_used_at DESC, created_at DESC, token_hash LIMIT \(keep)
                )
            RETURNING token_hash
            """
        ).map { try $0.bytes("token_hash") }
        noteEndedSessions(ended.count)
        return ended
    }

    /// Forgets a session, whose refresh token is unknown from then on.
    package func deleteSession(tokenHash: [UInt8]) throws {
        try execute("DELETE FROM sessions WHERE token_hash = \(tokenHash)")
    }

    /// The session of a refresh token's hash, in any scope, also when it was revoked; `nil` when it is unknown.
    package func session(tokenHash: [UInt8]) throws -> SessionRecord? {
        try first("WHERE token_hash = \(tokenHash)")
    }

    /// A session of an account by its name, also when it was revoked; `nil` when it is unknown. It is one look-up in an index.
    package func session(_ scope: Scope, localID: String, sessionID: String) throws -> SessionRecord? {
        // `revoked_at` is not in the condition, so that the engine does not choose the index of live sessions.
        try first("WHERE session_id = \(sessionID) AND \(scope) AND local_id = \(localID)")
    }

    /// Records that a live session was used.
    package func touchSession(tokenHash: [UInt8], at time: Timestamp) throws {
        let latest = time.advanced(by: ClockSkew.limit)
        try execute(
            """
            UPDATE sessions SET last_used_at = CASE
                WHEN last_used_at > \(time) AND last_used_at <= \(latest) THEN last_used_at
                ELSE \(time) END
            WHERE token_hash = \(tokenHash)
            """
        )
    }

    /// Revokes every live session of an account at once, without a limit by time (`Docs/Contract/rulings.md` 10).
    package func revokeSessions(_ scope: Scope, localID: String, at time: Timestamp) throws {
        try endSessions(
            "UPDATE sessions SET revoked_at = \(time) WHERE \(scope) AND local_id = \(localID) AND revoked_at IS NULL"
        )
    }

    /// Ends every live session of an account at once and forgets it, so that its refresh token is unknown from then on.
    package func deleteLiveSessions(_ scope: Scope, localID: String) throws {
        try endSessions("DELETE FROM sessions WHERE \(scope) AND local_id = \(localID) AND revoked_at IS NULL")
    }

    /// Revokes the live sessions of an account that began before a time.
    package func revokeSessions(_ scope: Scope, localID: String, createdBefore limit: Timestamp, at time: Timestamp) throws {
        try endSessions(
            """
            UPDATE sessions SET revoked_at = \(time)
            WHERE \(scope) AND local_id = \(localID) AND created_at < \(limit) AND revoked_at IS NULL
            """
        )
    }

    /// Revokes the live sessions of an account that were begun by one provider.
    package func revokeSessions(_ scope: Scope, localID: String, signInProvider: String, at time: Timestamp) throws {
        try endSessions(
            """
            UPDATE sessions SET revoked_at = \(time)
            WHERE \(scope) AND local_id = \(localID) AND sign_in_provider = \(signInProvider) AND revoked_at IS NULL
            """
        )
    }

    /// Revokes the live sessions of an account that were begun with one second factor.
    package func revokeSessions(_ scope: Scope, localID: String, enrollmentID: String, at time: Timestamp) throws {
        try endSessions(
            """
            UPDATE sessions SET revoked_at = \(time)
            WHERE \(scope) AND local_id = \(localID) AND second_factor_id = \(enrollmentID) AND revoked_at IS NULL
            """
        )
    }

    /// Revokes one live session of an account, and returns whether there was one.
    package func revokeSession(_ scope: Scope, localID: String, sessionID: String, at time: Timestamp) throws -> Bool {
        try endSessions(
            """
            UPDATE sessions SET revoked_at = \(time)
            WHERE \(scope) AND local_id = \(localID) AND session_id = \(sessionID) AND revoked_at IS NULL
            """
        ) > 0
    }

    /// Ends every live session of the store, and returns how many ended.
    package func endAllSessions(at time: Timestamp) throws -> Int {
        try endSessions("UPDATE sessions SET revoked_at = \(time) WHERE revoked_at IS NULL")
    }

    @discardableResult
    private func endSessions(_ statement: SQL) throws -> Int {
        let ended = try execute(statement)
        noteEndedSessions(ended)
        return ended
    }
}
