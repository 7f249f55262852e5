package import Project

/// A session, which a refresh token continues (`Docs/Contract/tokens.md` §2.1).
package struct SessionRecord: Sendable, Hashable {
    /// SHA-256 of the refresh token; the token itself is never stored.
    package let tokenHash: [UInt8]
    package let scope: Scope
    package let localID: String
    /// The name with which administrators list and revoke it.
    package let sessionID: String
    package let signInProvider: String
    /// Extra claims of this session: a JSON object's text.
    package var claims: String?
    /// `firebase.sign_in_attributes`: a JSON object's text.
    package var signInAttributes: String?
    package var userAgent: String?
    /// When the user signed in, in seconds. Refreshing never changes it.
    package let authTime: Int64
    package let createdAt: Timestamp
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

    static let columns = """
        token_hash, project_id, tenant_id, local_id, session_id, sign_in_provider, claims, sign_in_attributes, user_agent, \
        auth_time, created_at, last_used_at, revoked_at, second_factor, second_factor_id
        """

    init(row: Row) throws {
        tokenHash = try row.bytes("token_hash")
        let tenantKey = try row.text("tenant_id")
        scope = Scope(projectID: try row.text("project_id"), tenantID: tenantKey.isEmpty ? nil : tenantKey)
        localID = try row.text("local_id")
        sessionID = try row.text("session_id")
        signInProvider = try row.text("sign_in_provider")
        claims = try row.textIfPresent("claims")
        signInAttributes = try row.textIfPresent("sign_in_attributes")
        userAgent = try row.textIfPresent("user_agent")
        authTime = try row.integer("auth_time")
        createdAt = try row.timestamp("created_at")
        lastUsedAt = try row.timestamp("last_used_at")
        revokedAt = try row.timestampIfPresent("revoked_at")
        if let kind = try row.textIfPresent("second_factor"), let identifier = try row.textIfPresent("second_factor_id") {
            secondFactor = UsedSecondFactor(kind: kind, enrollmentID: identifier)
        }
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

extension Transaction {
    /// The live sessions of an account, the most recently used first.
    package func liveSessions(_ scope: Scope, localID: String) throws -> [SessionRecord] {
        try query(
            """
            SELECT \(raw: SessionRecord.columns) FROM sessions
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND local_id = \(localID)
                AND revoked_at IS NULL
            ORDER BY last_used_at DESC
            """
        ).map(SessionRecord.init(row:))
    }

    /// Stores a new session. It becomes the most recently used one of its account, even if a node with a faster clock has used
    /// another.
    package func insertSession(_ session: SessionRecord) throws {
        let scope = session.scope
        let used = session.lastUsedAt
        let latest = used.advanced(by: ClockSkew.limit)
        try execute(
            """
            INSERT INTO sessions (\(raw: SessionRecord.columns)) VALUES (
                \(session.tokenHash), \(session.scope.projectID), \(session.scope.tenantKey), \(session.localID),
                \(session.sessionID), \(session.signInProvider), \(session.claims), \(session.signInAttributes),
                \(session.userAgent), \(session.authTime), \(session.createdAt.milliseconds),
                COALESCE((SELECT max(last_used_at) + 1 FROM sessions WHERE project_id = \(scope.projectID)
                    AND tenant_id = \(scope.tenantKey) AND local_id = \(session.localID) AND revoked_at IS NULL
                    AND last_used_at > \(used.milliseconds) AND last_used_at <= \(latest.milliseconds)), \(used.milliseconds)),
                \(session.revokedAt?.milliseconds), \(session.secondFactor?.kind), \(session.secondFactor?.enrollmentID))
            """
        )
    }

    /// Ends the least recently used sessions of an account beyond the `keep` newest (`limits.sessionsPerUser`).
    ///
    /// - Returns: The hashes of their refresh tokens.
    @discardableResult
    package func endSurplusSessions(_ scope: Scope, localID: String, keep: Int, at time: Timestamp) throws -> [[UInt8]] {
        // In the usual case there is none, and this look-up stays inside the index.
        let surplus = try queryOne(
            """
            SELECT last_used_at FROM sessions WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey)
                AND local_id = \(localID) AND revoked_at IS NULL
            ORDER BY last_used_at DESC LIMIT 1 OFFSET \(keep)
            """
        )
        guard let limit = try surplus?.integer("last_used_at") else { return [] }
        // Of sessions that were used in one millisecond no more end than are too many.
        let ended = try query(
            """
            UPDATE sessions SET revoked_at = \(time.milliseconds)
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey)
                AND local_id = \(localID) AND revoked_at IS NULL AND last_used_at <= \(limit)
                AND token_hash NOT IN (
                    SELECT token_hash FROM sessions WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey)
                        AND local_id = \(localID) AND revoked_at IS NULL
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
        try queryOne("SELECT \(raw: SessionRecord.columns) FROM sessions WHERE token_hash = \(tokenHash)")
            .map(SessionRecord.init(row:))
    }

    /// A session of an account by its name, also when it was revoked; `nil` when it is unknown. It is one look-up in an index.
    package func session(_ scope: Scope, localID: String, sessionID: String) throws -> SessionRecord? {
        // `revoked_at` is not in the condition, so that the engine does not choose the index of live sessions.
        try queryOne(
            """
            SELECT \(raw: SessionRecord.columns) FROM sessions
            WHERE session_id = \(sessionID) AND project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey)
                AND local_id = \(localID)
            """
        ).map(SessionRecord.init(row:))
    }

    /// Records that a live session was used.
    package func touchSession(tokenHash: [UInt8], at time: Timestamp) throws {
        let latest = time.advanced(by: ClockSkew.limit)
        try execute(
            """
            UPDATE sessions SET last_used_at = CASE
                WHEN last_used_at > \(time.milliseconds) AND last_used_at <= \(latest.milliseconds) THEN last_used_at
                ELSE \(time.milliseconds) END
            WHERE token_hash = \(tokenHash)
            """
        )
    }

    /// Revokes every live session of an account at once, without a limit by time (`Docs/Contract/rulings.md` 10).
    package func revokeSessions(_ scope: Scope, localID: String, at time: Timestamp) throws {
        noteEndedSessions(
            try execute(
                """
                UPDATE sessions SET revoked_at = \(time.milliseconds)
                WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND local_id = \(localID)
                    AND revoked_at IS NULL
                """
            )
        )
    }

    /// Ends every live session of an account at once and forgets it, so that its refresh token is unknown from then on.
    package func deleteLiveSessions(_ scope: Scope, localID: String) throws {
        noteEndedSessions(
            try execute(
                """
                DELETE FROM sessions WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey)
                    AND local_id = \(localID) AND revoked_at IS NULL
                """
            )
        )
    }

    /// Revokes the live sessions of an account that began before a time.
    package func revokeSessions(_ scope: Scope, localID: String, createdBefore limit: Timestamp, at time: Timestamp) throws {
        noteEndedSessions(
            try execute(
                """
                UPDATE sessions SET revoked_at = \(time.milliseconds)
                WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND local_id = \(localID)
                    AND created_at < \(limit.milliseconds) AND revoked_at IS NULL
                """
            )
        )
    }

    /// Revokes the live sessions of an account that were begun by one provider.
    package func revokeSessions(_ scope: Scope, localID: String, signInProvider: String, at time: Timestamp) throws {
        noteEndedSessions(
            try execute(
                """
                UPDATE sessions SET revoked_at = \(time.milliseconds)
                WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND local_id = \(localID)
                    AND sign_in_provider = \(signInProvider) AND revoked_at IS NULL
                """
            )
        )
    }

    /// Revokes the live sessions of an account that were begun with one second factor.
    package func revokeSessions(_ scope: Scope, localID: String, enrollmentID: String, at time: Timestamp) throws {
        noteEndedSessions(
            try execute(
                """
                UPDATE sessions SET revoked_at = \(time.milliseconds)
                WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND local_id = \(localID)
                    AND second_factor_id = \(enrollmentID) AND revoked_at IS NULL
                """
            )
        )
    }

    /// Revokes one live session of an account.
    package func revokeSession(_ scope: Scope, localID: String, sessionID: String, at time: Timestamp) throws -> Bool {
        let ended = try execute(
            """
            UPDATE sessions SET revoked_at = \(time.milliseconds)
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND local_id = \(localID)
                AND session_id = \(sessionID) AND revoked_at IS NULL
            """
        )
        noteEndedSessions(ended)
        return ended > 0
    }

    /// Deletes sessions that ended long ago, in one small batch. Their refresh tokens are unknown from then on.
    package func deleteSessions(revokedBefore time: Timestamp, limit: Int) throws -> Int {
        try deleteFirst(limit, of: "sessions", where: "revoked_at < \(time.milliseconds)", orderedBy: "revoked_at")
    }
}
