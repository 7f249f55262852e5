package import Project

/// A session of an operator at the console.
package struct OperatorSessionRecord: Sendable, Hashable {
    /// SHA-256 of the cookie's token.
    package let sessionHash: [UInt8]
    package let operatorID: String
    package let createdAt: Timestamp
    /// When the session was last used, accurate to a minute.
    package var lastUsedAt: Timestamp
    /// When a factor was last proven in it.
    package var confirmedAt: Timestamp
    package let address: String?
    package let userAgent: String?

    /// A session that begins.
    package init(sessionHash: [UInt8], operatorID: String, at time: Timestamp, address: String?, userAgent: String?) {
        self.sessionHash = sessionHash
        self.operatorID = operatorID
        createdAt = time
        lastUsedAt = time
        confirmedAt = time
        self.address = address
        self.userAgent = userAgent
    }

    fileprivate static let columns = "session_hash, operator_id, created_at, last_used_at, confirmed_at, address, user_agent"

    fileprivate init(row: Row) throws {
        sessionHash = try row.bytes("session_hash")
        operatorID = try row.text("operator_id")
        createdAt = try row.timestamp("created_at")
        lastUsedAt = try row.timestamp("last_used_at")
        confirmedAt = try row.timestamp("confirmed_at")
        address = try row.textIfPresent("address")
        userAgent = try row.textIfPresent("user_agent")
    }
}

extension Transaction {
    /// Stores a new session.
    package func insertOperatorSession(_ project: String, _ session: OperatorSessionRecord) throws {
        try execute(
            """
            INSERT INTO operator_sessions (project_id, \(raw: OperatorSessionRecord.columns)) VALUES (
                \(project), \(session.sessionHash), \(session.operatorID), \(session.createdAt.milliseconds),
                \(session.lastUsedAt.milliseconds), \(session.confirmedAt.milliseconds), \(session.address),
                \(session.userAgent))
            """
        )
    }

    /// The session with a hash, also when it has expired; `nil` when it is unknown.
    package func operatorSession(_ project: String, hash: [UInt8]) throws -> OperatorSessionRecord? {
        try queryOne(
            """
            SELECT \(raw: OperatorSessionRecord.columns) FROM operator_sessions
            WHERE project_id = \(project) AND session_hash = \(hash)
            """
        ).map(OperatorSessionRecord.init(row:))
    }

    /// The sessions of an operator, the most recently used first.
    package func operatorSessions(_ project: String, operatorID: String) throws -> [OperatorSessionRecord] {
        try query(
            """
            SELECT \(raw: OperatorSessionRecord.columns) FROM operator_sessions
            WHERE project_id = \(project) AND operator_id = \(operatorID) ORDER BY last_used_at DESC, session_hash
            """
        ).map(OperatorSessionRecord.init(row:))
    }

    /// Records that a session was used.
    package func touchOperatorSession(_ project: String, hash: [UInt8], at time: Timestamp) throws {
        try execute(
            """
            UPDATE operator_sessions SET last_used_at = \(time.milliseconds)
            WHERE project_id = \(project) AND session_hash = \(hash)
            """
        )
    }

    /// Replaces a session's token, after a factor was proven in it.
    package func confirmOperatorSession(
        _ project: String,
        hash: [UInt8],
        newHash: [UInt8],
        at time: Timestamp
    ) throws -> Bool {
        try execute(
            """
            UPDATE operator_sessions
            SET session_hash = \(newHash), confirmed_at = \(time.milliseconds), last_used_at = \(time.milliseconds)
            WHERE project_id = \(project) AND session_hash = \(hash)
            """
        ) > 0
    }

    /// Ends a session of an operator.
    package func deleteOperatorSession(_ project: String, operatorID: String, hash: [UInt8]) throws -> Bool {
        try execute(
            """
            DELETE FROM operator_sessions
            WHERE project_id = \(project) AND operator_id = \(operatorID) AND session_hash = \(hash)
            """
        ) > 0
    }

    /// Ends every session of an operator.
    package func deleteOperatorSessions(_ project: String, operatorID: String, except kept: [UInt8]?) throws -> Int {
        try execute(
            """
            DELETE FROM operator_sessions
            WHERE project_id = \(project) AND operator_id = \(operatorID) AND session_hash <> \(kept ?? [])
            """
        )
    }

    /// Deletes sessions that began before a time, in one small batch.
    package func deleteOperatorSessions(createdBefore time: Timestamp, limit: Int) throws -> Int {
        try execute(
            """
            DELETE FROM operator_sessions WHERE (project_id, session_hash) IN (
                SELECT project_id, session_hash FROM operator_sessions
                WHERE created_at < \(time.milliseconds) ORDER BY created_at LIMIT \(limit))
            """
        )
    }
}
