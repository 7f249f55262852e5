package import Project

/// A session of an operator at the console.
package struct OperatorSessionRecord: Sendable, Hashable {
    /// SHA-256 of the cookie's token.
    package internal(set) var sessionHash: [UInt8]
    package internal(set) var operatorID: String
    package internal(set) var createdAt: Timestamp
    /// When the session was last used, accurate to a minute.
    package var lastUsedAt: Timestamp
    /// When a factor was last proven in it.
    package var confirmedAt: Timestamp
    package internal(set) var address: String?
    package internal(set) var userAgent: String?

    package init(sessionHash: [UInt8], operatorID: String, at time: Timestamp, address: String?, userAgent: String?) {
        self.sessionHash = sessionHash
        self.operatorID = operatorID
        createdAt = time
        lastUsedAt = time
        confirmedAt = time
        self.address = address
        self.userAgent = userAgent
    }
}

extension OperatorSessionRecord: StoredRecord {
    static let table = TableDescriptor<Self>("operator_sessions", of: .project, key: ["project_id", "session_hash"])
    static var blank: Self { Self(sessionHash: [], operatorID: "", at: .blank, address: nil, userAgent: nil) }

    static func columns(_ column: inout some ColumnVisitor<Self>) {
        column("session_hash", \.sessionHash)
        column("operator_id", \.operatorID)
        column("created_at", \.createdAt)
        column("last_used_at", \.lastUsedAt)
        column("confirmed_at", \.confirmedAt)
        column("address", \.address)
        column("user_agent", \.userAgent)
    }
}

extension Transaction {
    /// Stores a new session.
    package func insertOperatorSession(_ project: String, _ session: OperatorSessionRecord) throws {
        try execute(session.insertion(of: [.text(project)]))
    }

    /// The session with a hash, also when it has expired; `nil` when it is unknown.
    package func operatorSession(_ project: String, hash: [UInt8]) throws -> OperatorSessionRecord? {
        try first("WHERE project_id = \(project) AND session_hash = \(hash)")
    }

    /// The sessions of an operator, the most recently used first.
    package func operatorSessions(_ project: String, operatorID: String) throws -> [OperatorSessionRecord] {
        try all("WHERE project_id = \(project) AND operator_id = \(operatorID) ORDER BY last_used_at DESC, session_hash")
    }

    /// Records that a session was used.
    package func touchOperatorSession(_ project: String, hash: [UInt8], at time: Timestamp) throws {
        try execute(
            """
            UPDATE operator_sessions SET last_used_at = \(time)
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
            SET session_hash = \(newHash), confirmed_at = \(time), last_used_at = \(time)
            WHERE project_id = \(project) AND session_hash = \(hash)
            """
        ) > 0
    }

    package func deleteOperatorSession(_ project: String, operatorID: String, hash: [UInt8]) throws -> Bool {
        try execute(
            """
            DELETE FROM operator_sessions
            WHERE project_id = \(project) AND operator_id = \(operatorID) AND session_hash = \(hash)
            """
        ) > 0
    }

    package func deleteOperatorSessions(_ project: String, operatorID: String, except kept: [UInt8]?) throws -> Int {
        try execute(
            """
            DELETE FROM operator_sessions
            WHERE project_id = \(project) AND operator_id = \(operatorID) AND session_hash <> \(kept ?? [])
            """
        )
    }
}
