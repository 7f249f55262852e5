package import Project

/// The kinds of messages that wait to be sent.
package enum OutboxKind: String, Sendable, CaseIterable {
    case email = "email_outbox"
    case sms = "sms_outbox"
    case webhook = "webhook_outbox"

    /// The table.
    fileprivate var table: String { rawValue }
}

/// A message that waits to be sent, as stored.
package struct OutboxRecord: Sendable, Hashable {
    package let messageID: String
    package let scope: Scope
    /// The message. It is sealed under the master key if it contains one-time links or codes.
    package let payload: String
    package let createdAt: Timestamp
    /// The time from which the message would be useless.
    package let expiresAt: Timestamp
    /// How often it has been claimed.
    package let attempts: Int

    package init(
        messageID: String,
        scope: Scope,
        payload: String,
        createdAt: Timestamp,
        expiresAt: Timestamp,
        attempts: Int = 0
    ) {
        self.messageID = messageID
        self.scope = scope
        self.payload = payload
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.attempts = attempts
    }

    static let columns = "message_id, project_id, tenant_id, payload, created_at, expires_at, attempts"

    init(row: Row) throws {
        messageID = try row.text("message_id")
        let tenantKey = try row.text("tenant_id")
        scope = Scope(projectID: try row.text("project_id"), tenantID: tenantKey.isEmpty ? nil : tenantKey)
        payload = try row.text("payload")
        createdAt = try row.timestamp("created_at")
        expiresAt = try row.timestamp("expires_at")
        attempts = Int(try row.integer("attempts"))
    }
}

/// How a message's time in the outbox ended.
package enum OutboxOutcome: String, Sendable, CaseIterable {
    case sent
    /// Refused permanently, or tried for too long.
    case dead
}

extension Transaction {
    /// Puts a message into the outbox, due at once. It is sent only if this transaction commits.
    ///
    /// - Throws: `StorageError.uniqueViolation` when the message is already there.
    package func insertOutboxMessage(_ message: OutboxRecord, in outbox: OutboxKind = .email) throws {
        try execute(
            """
            INSERT INTO \(raw: outbox.table)
                (message_id, project_id, tenant_id, payload, created_at, expires_at, due_at, attempts)
            VALUES (\(message.messageID), \(message.scope.projectID), \(message.scope.tenantKey), \(message.payload),
                \(message.createdAt.milliseconds), \(message.expiresAt.milliseconds), \(message.createdAt.milliseconds),
                \(message.attempts))
            """
        )
    }

    /// Leases due messages to one node. Other nodes do not send them until the lease ends.
    ///
    /// - Parameters:
    ///   - leaseID: A random id of this call. The node gives it again when it reports the result.
    ///   - leaseEnd: If the node has died, another one may claim the messages then.
    /// - Returns: The messages in no particular order. Their attempts include this one.
    package func claimOutboxMessages(
        leaseID: String,
        now: Timestamp,
        leaseEnd: Timestamp,
        limit: Int,
        in outbox: OutboxKind = .email
    ) throws -> [OutboxRecord] {
        let due = try query(
            """
            SELECT message_id FROM \(raw: outbox.table) WHERE finished_at IS NULL AND due_at <= \(now.milliseconds)
            ORDER BY due_at LIMIT \(limit)
            """
        )
        // Each is found by its key: in one statement for all, an engine may read every waiting message instead. The conditions are repeated
        // because under weaker isolation another node may have claimed it meanwhile.
        return try due.compactMap { row in
            try queryOne(
                """
                UPDATE \(raw: outbox.table)
                SET lease_id = \(leaseID), due_at = \(leaseEnd.milliseconds), attempts = attempts + 1
                WHERE message_id = \(try row.text("message_id")) AND COALESCE(finished_at, 0) = 0
                    AND due_at + 0 <= \(now.milliseconds)
                RETURNING \(raw: OutboxRecord.columns)
                """
            ).map(OutboxRecord.init(row:))
        }
    }

    /// Ends a message's time in the outbox and empties its payload.
    ///
    /// - Returns: `false` when the lease is no longer this node's. Nothing was changed then.
    @discardableResult
    package func finishOutboxMessage(
        _ messageID: String,
        leaseID: String,
        outcome: OutboxOutcome,
        failure: String?,
        at time: Timestamp,
        in outbox: OutboxKind = .email
    ) throws -> Bool {
        try execute(
            """
            UPDATE \(raw: outbox.table) SET payload = '', lease_id = NULL, outcome = \(outcome.rawValue), last_failure = \(failure),
                finished_at = \(time.milliseconds)
            WHERE message_id = \(messageID) AND lease_id = \(leaseID) AND COALESCE(finished_at, 0) = 0
            """
        ) > 0
    }

    /// Gives a message back, to be tried again later.
    ///
    /// - Returns: `false` when the lease is no longer this node's. Nothing was changed then.
    @discardableResult
    package func postponeOutboxMessage(
        _ messageID: String,
        leaseID: String,
        until due: Timestamp,
        failure: String,
        in outbox: OutboxKind = .email
    ) throws -> Bool {
        try execute(
            """
            UPDATE \(raw: outbox.table) SET lease_id = NULL, due_at = \(due.milliseconds), last_failure = \(failure)
            WHERE message_id = \(messageID) AND lease_id = \(leaseID) AND COALESCE(finished_at, 0) = 0
            """
        ) > 0
    }

    /// How many messages wait or are being sent.
    package func countWaitingOutboxMessages(in outbox: OutboxKind = .email) throws -> Int {
        Int(try queryOne("SELECT count(*) AS n FROM \(raw: outbox.table) WHERE finished_at IS NULL")?.integer("n") ?? 0)
    }

    /// Deletes messages that were finished before `time`, in one small batch.
    @discardableResult
    package func deleteFinishedOutboxMessages(
        before time: Timestamp,
        limit: Int,
        in outbox: OutboxKind = .email
    ) throws -> Int {
        try deleteFirst(limit, of: outbox.table, where: "finished_at < \(time.milliseconds)", orderedBy: "finished_at")
    }
}
