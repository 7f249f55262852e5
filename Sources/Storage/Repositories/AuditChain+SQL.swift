package import Project

/// The name of a chain of audit records.
package struct AuditChainKey: Sendable, Hashable {
    package internal(set) var scope: Scope
    /// The class of the records, which have one time of retention.
    package internal(set) var recordClass: String

    package init(scope: Scope, recordClass: String) {
        self.scope = scope
        self.recordClass = recordClass
    }

    fileprivate init(row: Row) throws {
        scope = try row.scope()
        recordClass = try row.textIfPresent("chain_class") ?? ""
    }

    fileprivate var condition: SQL { "\(scope) AND chain_class = \(recordClass)" }
}

/// Both ends of a chain.
package struct AuditChainEnds: Sendable, Hashable {
    package internal(set) var key: AuditChainKey
    /// The number of the last record, and its hash.
    package var headSeq: Int64
    package var headHash: String
    /// The signed statement about the last record.
    package var headCheckpoint: String
    /// The number of the last record that retention removed, and its hash; 0 and the first hash before that.
    package var cutSeq: Int64
    package var cutHash: String
    /// The signed statement about the removal.
    package var cutCheckpoint: String?

    package init(
        key: AuditChainKey,
        headSeq: Int64,
        headHash: String,
        headCheckpoint: String,
        cutSeq: Int64,
        cutHash: String,
        cutCheckpoint: String? = nil
    ) {
        self.key = key
        self.headSeq = headSeq
        self.headHash = headHash
        self.headCheckpoint = headCheckpoint
        self.cutSeq = cutSeq
        self.cutHash = cutHash
        self.cutCheckpoint = cutCheckpoint
    }
}

/// A record with its place in a chain.
package struct AuditRow: Sendable {
    package let scope: Scope
    package let event: AuditEvent
    /// The detail exactly as it is stored.
    package let detailText: String?
    /// The place; 0 before there is one.
    package let seq: Int64
    package let hash: String
    /// The signed statement of the place, on the last record of a batch.
    package let checkpoint: String?

    fileprivate init(row: Row) throws {
        scope = try AuditChainKey(row: row).scope
        event = try AuditEvent(row: row)
        detailText = try row.textIfPresent("detail")
        seq = try row.integerIfPresent("chain_seq") ?? 0
        hash = try row.textIfPresent("chain_hash") ?? ""
        checkpoint = try row.textIfPresent("chain_checkpoint")
    }

    /// The place before every one, also before places that nobody gives.
    package static let beforeAll: (seq: Int64, eventID: String) = (.min, "")

    fileprivate static let columns = """
        event_id, project_id, tenant_id, occurred_at, event, local_id, actor, address, detail, repeats, last_at, chain_class, \
        chain_seq, chain_hash, chain_checkpoint
        """
}

extension AuditChainEnds: StoredRecord {
    static let table = TableDescriptor<Self>("audit_chains", key: ["project_id", "tenant_id", "chain_class"])
    static var blank: Self {
        let key = AuditChainKey(scope: .blank, recordClass: "")
        return Self(key: key, headSeq: 0, headHash: "", headCheckpoint: "", cutSeq: 0, cutHash: "")
    }

    static func columns(_ column: inout some ColumnVisitor<Self>) {
        column("project_id", \.key.scope.projectColumn)
        column("tenant_id", \.key.scope.tenantColumn)
        column("chain_class", \.key.recordClass)
        column("head_seq", \.headSeq)
        column("head_hash", \.headHash)
        column("head_checkpoint", \.headCheckpoint)
        column("cut_seq", \.cutSeq)
        column("cut_hash", \.cutHash)
        column("cut_checkpoint", \.cutCheckpoint)
    }
}

extension Transaction {
    /// Records without a place that nothing is counted on any more, the oldest first.
    ///
    /// - Parameter time: Refusals and acts of users must be older; acts of administrators are never repeated on a row.
    package func unchainedAuditRows(closedBefore time: Timestamp, after last: AuditRow? = nil, limit: Int) throws -> [AuditRow] {
        let from = last.map { (time: $0.event.occurredAt.milliseconds, id: $0.event.eventID) } ?? (.min, "")
        return try query(
            """
            SELECT \(raw: AuditRow.columns) FROM audit_events
            WHERE chain_seq IS NULL AND occurred_at >= \(from.time) AND (occurred_at > \(from.time) OR event_id > \(from.id))
                AND (occurred_at <= \(time)
                OR (actor <> \(AuditEvent.user) AND event <> \(AuditEvent.Kind.refused.rawValue)))
            ORDER BY occurred_at, event_id LIMIT \(limit)
            """
        ).map(AuditRow.init(row:))
    }

    /// How many records have no place.
    package func countUnchainedAuditRows(_ scope: Scope) throws -> Int64 {
        try queryOne("SELECT count(*) AS n FROM audit_events WHERE chain_seq IS NULL AND \(unindexed: scope)")?.integer("n") ?? 0
    }

    /// Gives a record its place.
    package func chainAuditRow(_ eventID: String, in recordClass: String, seq: Int64, hash: String) throws {
        try execute(
            """
            UPDATE audit_events SET chain_class = \(recordClass), chain_seq = \(seq), chain_hash = \(hash)
            WHERE event_id = \(eventID) AND COALESCE(chain_seq, 0) = 0
            """
        )
    }

    /// Notes the signed statement of a record's place.
    package func signAuditRow(_ eventID: String, checkpoint: String) throws {
        try execute("UPDATE audit_events SET chain_checkpoint = \(checkpoint) WHERE event_id = \(eventID)")
    }

    /// The ends of a chain; `nil` for one without records.
    package func auditChain(_ key: AuditChainKey) throws -> AuditChainEnds? {
        try first("WHERE \(sql: key.condition)")
    }

    /// Every chain of a project and its tenants: those that have ends, and those that only records name.
    package func auditChainKeys(ofProject projectID: String?) throws -> [AuditChainKey] {
        let condition: SQL = projectID.map { "project_id = \($0)" } ?? "1 = 1"
        return try query(
            """
            SELECT project_id, tenant_id, chain_class FROM audit_chains WHERE \(sql: condition)
            UNION SELECT project_id, tenant_id, chain_class FROM audit_events
                WHERE chain_class IS NOT NULL AND \(sql: condition)
            ORDER BY project_id, tenant_id, chain_class
            """
        ).map(AuditChainKey.init(row:))
    }

    package func storeAuditChain(_ ends: AuditChainEnds) throws {
        try execute(
            """
            \(sql: ends.insertion())
            ON CONFLICT (project_id, tenant_id, chain_class) DO UPDATE SET
                head_seq = excluded.head_seq, head_hash = excluded.head_hash, head_checkpoint = excluded.head_checkpoint,
                cut_seq = excluded.cut_seq, cut_hash = excluded.cut_hash, cut_checkpoint = excluded.cut_checkpoint
            """
        )
    }

    /// A page of a chain's records.
    package func chainedAuditRows(
        _ key: AuditChainKey,
        after last: (seq: Int64, eventID: String),
        limit: Int
    ) throws -> [AuditRow] {
        try query(
            """
            SELECT \(raw: AuditRow.columns) FROM audit_events
            WHERE \(sql: key.condition) AND chain_seq >= \(last.seq)
                AND (chain_seq > \(last.seq) OR event_id > \(last.eventID))
            ORDER BY chain_seq, event_id LIMIT \(limit)
            """
        ).map(AuditRow.init(row:))
    }

    /// A chain that has a record of a class older than a time.
    package func chainOfOldestAuditRow(
        inClass recordClass: String,
        before time: Timestamp,
        except passed: [AuditChainKey] = []
    ) throws -> AuditChainKey? {
        var condition: SQL = "chain_class = \(recordClass) AND occurred_at < \(time)"
        for key in passed {
            condition = "\(sql: condition) AND (project_id <> \(key.scope.projectID) OR tenant_id <> \(key.scope.tenantKey))"
        }
        return try queryOne(
            """
            SELECT project_id, tenant_id, chain_class FROM audit_events WHERE \(sql: condition) ORDER BY occurred_at LIMIT 1
            """
        ).map(AuditChainKey.init(row:))
    }

    /// How many records of a project have a place in no chain. This service makes none.
    package func countAuditRowsWithoutChain(ofProject projectID: String) throws -> Int64 {
        try queryOne(
            """
            SELECT count(*) AS n FROM audit_events WHERE project_id = \(projectID) AND chain_seq IS NOT NULL AND chain_class IS NULL
            """
        )?.integer("n") ?? 0
    }

    /// Deletes the records of a chain up to a place.
    package func deleteChainedAuditRows(_ key: AuditChainKey, through seq: Int64) throws -> Int {
        try execute("DELETE FROM audit_events WHERE \(sql: key.condition) AND chain_seq <= \(seq)")
    }

    /// Chains whose last record is not the last one that a receiver has: it lacks records, or there are fewer than it has.
    package func auditChains(notAt receiver: String, limit: Int) throws -> [AuditChainEnds] {
        try all(
            """
            WHERE head_seq <> COALESCE((SELECT seq FROM audit_cursors u WHERE u.receiver = \(receiver)
                AND u.project_id = audit_chains.project_id AND u.tenant_id = audit_chains.tenant_id
                AND u.chain_class = audit_chains.chain_class), 0)
            ORDER BY project_id, tenant_id, chain_class LIMIT \(limit)
            """
        )
    }

    /// How far a receiver has got in a chain: the place of the last record that it has, and its hash if that is known.
    ///
    /// - Returns: Place 0 at the start.
    package func auditCursor(_ receiver: String, _ key: AuditChainKey) throws -> (seq: Int64, hash: String?) {
        let row = try queryOne("SELECT seq, hash FROM audit_cursors WHERE receiver = \(receiver) AND \(sql: key.condition)")
        return (try row?.integer("seq") ?? 0, try row?.textIfPresent("hash"))
    }

    /// Notes how far a receiver has got in a chain.
    package func moveAuditCursor(_ receiver: String, _ key: AuditChainKey, to seq: Int64, hash: String) throws {
        try execute(
            """
            INSERT INTO audit_cursors (receiver, project_id, tenant_id, chain_class, seq, hash)
            VALUES (\(receiver), \(key.scope.projectID), \(key.scope.tenantKey), \(key.recordClass), \(seq), \(hash))
            ON CONFLICT (receiver, project_id, tenant_id, chain_class) DO UPDATE SET seq = excluded.seq, hash = excluded.hash
            """
        )
    }
}
