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
    package internal(set) var messageID: String
    package internal(set) var scope: Scope
    /// The message. It is sealed under the master key if it contains one-time links or codes.
    package internal(set) var payload: String
    package internal(set) var createdAt: Timestamp
    /// The time from which the message would be useless.
    package internal(set) var expiresAt: Timestamp
    /// How often it has been claimed.
    package internal(set) var attempts: Int

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
}

/// How a message's time in the outbox ended.
package enum OutboxOutcome: String, Sendable, CaseIterable {
    case sent
    /// Refused permanently, or tried for too long.
    case dead
}

extension OutboxRecord: StoredRecord {
    static let table = TableDescriptor<Self>(
        "email_outbox",
        key: ["message_id"],
        others: ["due_at", "lease_id", "last_failure", "outcome", "finished_at"]
    )
    static var blank: Self { Self(messageID: "", scope: .blank, payload: "", createdAt: .blank, expiresAt: .blank) }

    static func columns(_ column: inout some ColumnVisitor<Self>) {
        column("message_id", \.messageID)
        column("project_id", \.scope.projectColumn)
        column("tenant_id", \.scope.tenantColumn)
        column("payload", \.payload)
        column("created_at", \.createdAt)
        column("expires_at", \.expiresAt)
        column("attempts", \.attempts)
    }
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
                \(message.createdAt), \(message.expiresAt), \(message.createdAt),
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
            SELECT message_id FROM \(raw: outbox.table) WHERE finished_at IS NULL AND due_at <= \(now)
            ORDER BY due_at LIMIT \(limit)
            """
        )
        // Each is found by its key: in one statement for all, an engine may read every waiting message instead. The conditions are repeated
        // because under weaker isolation another node may have claimed it meanwhile.
        return try due.compactMap { row in
            try queryOne(
                """
                UPDATE \(raw: outbox.table)
                SET lease_id = \(leaseID), due_at = \(leaseEnd), attempts = attempts + 1
                WHERE message_id = \(try row.text("message_id")) AND COALESCE(finished_at, 0) = 0
                    AND due_at + 0 <= \(now)
                RETURNING \(raw: OutboxRecord.table.names)
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
                finished_at = \(time)
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
            UPDATE \(raw: outbox.table) SET lease_id = NULL, due_at = \(due), last_failure = \(failure)
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
        try deleteFirst(limit, of: outbox.table, where: "finished_at < \(time)", orderedBy: "finished_at")
    }
}
