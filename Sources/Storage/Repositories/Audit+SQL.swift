package import Project

/// One event of an account or of the configuration. It never contains a token, code, nonce or secret.
package struct AuditEvent: Sendable, Hashable {
    package let eventID: String
    package let occurredAt: Timestamp
    /// The name of the event as it is stored, also of a kind that this binary does not know.
    package let event: String
    package let localID: String?
    /// Who caused it: `user`, `cli`, `retention`, `owner`, `admin.token`, `admin-token:NAME`, `service-account:EMAIL`.
    package let actor: String
    package let address: String?
    /// The member of a refusal's details with the account that has what was to be linked.
    package static let heldBy = "heldBy"
    /// The actor of events that users cause themselves.
    package static let user = "user"
    /// The actor of refusals at the console by somebody who is no operator that the server knows.
    package static let unknownOperator = "operator"
    /// Further details, as a JSON object.
    package let detail: JSONValue?
    /// How often the event was repeated shortly after, without a row of its own.
    package var repeats: Int64 = 0
    /// When it was last repeated; `nil` when it was not.
    package var lastAt: Timestamp?

    package init(
        eventID: String,
        occurredAt: Timestamp,
        event: Kind,
        localID: String?,
        actor: String,
        address: String?,
        detail: JSONValue? = nil
    ) {
        self.eventID = eventID
        self.occurredAt = occurredAt
        self.event = event.rawValue
        self.localID = localID
        self.actor = actor
        self.address = address
        self.detail = detail
    }

    init(row: Row) throws {
        eventID = try row.text("event_id")
        occurredAt = try row.timestamp("occurred_at")
        event = try row.text("event")
        localID = try row.textIfPresent("local_id")
        actor = try row.text("actor")
        address = try row.textIfPresent("address")
        detail = try row.textIfPresent("detail").flatMap { try? JSONValue.parse($0.utf8) }
        repeats = try row.integer("repeats")
        lastAt = try row.timestampIfPresent("last_at")
    }

    /// The kind; `nil` for one that a node of another version wrote and this binary does not know.
    package var kind: Kind? { Kind(rawValue: event) }
}

extension AuditEvent {
    /// How long after an event an equal event of the same account counts as a repetition.
    static let repetitionWindow = Duration.seconds(60)

    /// How many rows one kind of event of one account gets within that time, also with different addresses and details.
    static let maximumRowsPerWindow = 20

    /// How many rows of one account are read to find an equal event: twenty kinds of events at their most. Only an administrator, each of
    /// whose acts has a row, makes more within a minute.
    static let maximumRowsRead = 20 * maximumRowsPerWindow

    private static let maximumTextBytes = 512
    private static let maximumElements = 100

    /// The texts as they are stored. Long ones are cut, because clients may choose them.
    fileprivate var stored: (actor: String, address: String?, detail: String?) {
        (
            actor.cut(toBytes: Self.maximumTextBytes), address.map { $0.cut(toBytes: Self.maximumTextBytes) },
            detail.map { Self.bounded($0).text }
        )
    }

    private static func bounded(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): .string(text.cut(toBytes: maximumTextBytes))
        case .array(let elements): .array(elements.prefix(maximumElements).map(bounded))
        case .object(let members):
            .object(
                JSONObject(
                    naming: members.sorted { $0.key < $1.key }.prefix(maximumElements).map {
                        ($0.key.text.cut(toBytes: maximumTextBytes), bounded($0.value))
                    }
                )
            )
        default: value
        }
    }
}

extension Transaction {
    /// Appends an event to the audit trail. An event that a user repeats within a minute is counted on the row of the first one.
    /// When the account has twenty rows of that kind of event within the minute, further ones are counted on the latest row, even
    /// if address or detail differ. Every event of an administrator has a row of its own, and so has every refusal: equal refusals are
    /// joined, and their number is bounded, before they come here.
    package func insertAuditEvent(_ scope: Scope, _ event: AuditEvent, isFirst: Bool = false) throws {
        let stored = event.stored
        if !isFirst, let localID = event.localID, event.actor == AuditEvent.user, event.kind != .refused,
            try countRepetition(scope, event, of: localID)
        {
            return
        }
        try execute(
            """
            INSERT INTO audit_events
                (event_id, project_id, tenant_id, occurred_at, event, local_id, actor, address, detail, repeats, last_at)
            VALUES (\(event.eventID), \(scope.projectID), \(scope.tenantKey), \(event.occurredAt), \(event.event),
                \(event.localID), \(stored.actor), \(stored.address), \(stored.detail), \(event.repeats),
                \(event.lastAt))
            """
        )
    }

    // Only the account's latest events within the window are read, which is a short range of the one index that a planner can take.
    private func countRepetition(_ scope: Scope, _ event: AuditEvent, of localID: String) throws -> Bool {
        let stored = event.stored
        let start = event.occurredAt - AuditEvent.repetitionWindow
        let recent = try query(
            """
            SELECT event_id, address, detail FROM (
                SELECT event_id, occurred_at, event, actor, address, detail FROM audit_events
                WHERE \(sql: AuditFilter.account(localID, in: scope)) AND occurred_at > \(start)
                ORDER BY occurred_at DESC, event_id DESC LIMIT \(AuditEvent.maximumRowsRead)
            ) AS latest
            WHERE event = \(event.event) AND actor = \(stored.actor)
            ORDER BY occurred_at DESC, event_id DESC LIMIT \(AuditEvent.maximumRowsPerWindow)
            """
        )
        let same = try recent.first { row in
            let (address, detail) = (try row.textIfPresent("address") ?? "", try row.textIfPresent("detail") ?? "")
            return bytesEqual(address, stored.address ?? "") && bytesEqual(detail, stored.detail ?? "")
        }
        let isFull = recent.count >= AuditEvent.maximumRowsPerWindow
        guard let row = same ?? (isFull ? recent.first : nil) else { return false }
        return try countAuditRepetitions(
            event.repeats + 1,
            of: try row.text("event_id"),
            at: event.lastAt ?? event.occurredAt
        )
    }

    /// Counts repetitions of an event on its row, unless the row has its place in a chain.
    ///
    /// - Returns: `false` when the event has no row on which anything may be counted any more.
    package func countAuditRepetitions(_ count: Int64, of eventID: String, at time: Timestamp) throws -> Bool {
        // In this form the condition does not lead to the index of records without a place.
        try execute(
            """
            UPDATE audit_events SET repeats = repeats + \(count), last_at = \(time)
            WHERE event_id = \(eventID) AND COALESCE(chain_seq, 0) = 0
            """
        ) > 0
    }
}
