package import Project

/// What is known of a message on its way, without its content.
package struct OutboxDelivery: Sendable, Hashable {
    package let messageID: String
    package let createdAt: Timestamp
    /// When it is tried next; without meaning once it is finished.
    package let dueAt: Timestamp
    package let attempts: Int
    /// Why the last try failed.
    package let failure: String?
    package let finishedAt: Timestamp?
    /// How it ended; `nil` while it waits.
    package let outcome: OutboxOutcome?

    fileprivate static let columns =
        "message_id, project_id, created_at, due_at, attempts, last_failure, finished_at, outcome"

    fileprivate init(row: Row) throws {
        messageID = try row.text("message_id")
        createdAt = try row.timestamp("created_at")
        dueAt = try row.timestamp("due_at")
        attempts = Int(try row.integer("attempts"))
        failure = try row.textIfPresent("last_failure")
        finishedAt = try row.timestampIfPresent("finished_at")
        outcome = try row.textIfPresent("outcome").flatMap(OutboxOutcome.init(rawValue:))
    }
}

extension Transaction {
    /// Messages of a project that wait, the next first.
    ///
    /// - Parameter limit: How many messages are examined at most, so that a long queue costs no more than a short one.
    /// - Returns: Without their content.
    package func waitingDeliveries(_ projectID: String, limit: Int, in outbox: OutboxKind) throws -> [OutboxDelivery] {
        try query(
            """
            SELECT \(raw: OutboxDelivery.columns) FROM \(raw: outbox.rawValue) WHERE finished_at IS NULL
            ORDER BY due_at LIMIT \(limit)
            """
        ).filter { try $0.text("project_id") == projectID }.map(OutboxDelivery.init(row:))
    }

    /// Messages of a project that were delivered or given up, the latest first; otherwise as
    /// ``waitingDeliveries(_:limit:in:)``.
    package func finishedDeliveries(_ projectID: String, limit: Int, in outbox: OutboxKind) throws -> [OutboxDelivery] {
        try query(
            """
            SELECT \(raw: OutboxDelivery.columns) FROM \(raw: outbox.rawValue) WHERE finished_at IS NOT NULL
            ORDER BY finished_at DESC LIMIT \(limit)
            """
        ).filter { try $0.text("project_id") == projectID }.map(OutboxDelivery.init(row:))
    }

    /// Makes messages of a project due that wait for their next try.
    package func hastenDeliveries(_ projectID: String, at now: Timestamp, limit: Int, in outbox: OutboxKind) throws -> Int {
        let waiting = try query(
            """
            SELECT message_id, project_id FROM \(raw: outbox.rawValue)
            WHERE finished_at IS NULL AND due_at > \(now) ORDER BY due_at LIMIT \(limit)
            """
        ).filter { try $0.text("project_id") == projectID }
        var hastened = 0
        for row in waiting {
            // A message with a lease is being sent.
            hastened += try execute(
                """
                UPDATE \(raw: outbox.rawValue) SET due_at = \(now)
                WHERE message_id = \(try row.text("message_id")) AND COALESCE(finished_at, 0) = 0 AND lease_id IS NULL
                """
            )
        }
        return hastened
    }
}
