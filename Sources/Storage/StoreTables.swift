/// A table that is copied with a store.
struct StoreTable: Sendable {
    let name: String
    /// The columns of the primary key, which orders the pages.
    let key: [String]
    let columns: [String]

    init(_ name: String, key: [String], _ others: [String]) {
        self.name = name
        self.key = key
        columns = key + others
    }

    private init(_ name: String, like other: StoreTable) {
        self.name = name
        key = other.key
        columns = other.columns
    }

    /// Every table except the leases and the clock, which belong to running nodes, and the migrator's own. A table comes after those that it
    /// refers to. Those without a descriptor have rows that no record is read from as a whole.
    static let all: [StoreTable] = [
        AccountRecord.table.table,
        IdentityRecord.table.table,
        StoreTable(
            "import_digests",
            key: ["project_id", "tenant_id", "local_id"],
            ["imported_at", "key_check", "digests"]
        ),
        PasskeyRecord.table.table,
        SessionRecord.table.table,
        StoreTable("used_credentials", key: ["project_id", "tenant_id", "credential_hash"], ["expires_at"]),
        SigningKeyRecord.table.table,
        ResourceRecord.table.table,
        OutboxRecord.table.table,
        OOBCodeRecord.table.table,
        AuthorizationFlowRecord.table.table,
        AnsweredFlowRecord.table.table,
        AdminTokenRecord.table.table,
        StoreTable("sms_outbox", like: OutboxRecord.table.table),
        StoreTable("webhook_outbox", like: OutboxRecord.table.table),
        SMSCodeRecord.table.table,
        AppCredentialRecord.table.table,
        StoreTable("password_work", key: ["work"], ["noted_at"]),
        StoreTable(
            "throttles",
            key: ["project_id", "tenant_id", "bucket"],
            ["count", "ends_at", "blocked_until", "local_id", "settled"]
        ),
        StoreTable(
            "audit_events",
            key: ["event_id"],
            [
                "project_id", "tenant_id", "occurred_at", "event", "local_id", "actor", "address", "detail", "repeats", "last_at",
                "chain_class", "chain_seq", "chain_hash", "chain_checkpoint",
            ]
        ),
        AuditChainEnds.table.table,
        StoreTable("daily_counts", key: ["project_id", "tenant_id", "day", "metric", "label"], ["count"]),
        OperatorRecord.table.table,
        OperatorPasskeyRecord.table.table,
        OperatorSessionRecord.table.table,
        OperatorInvitationRecord.table.table,
        OperatorApprovalRecord.table.table,
        ConfigChangeRecord.table.table,
        StoreTable("audit_cursors", key: ["receiver", "project_id", "tenant_id", "chain_class"], ["seq", "hash"]),
    ]

    /// How many rows there are.
    func count(in transaction: Transaction) throws -> Int64 {
        try transaction.queryOne("SELECT count(*) AS n FROM \(raw: name)")?.integer("n") ?? 0
    }

    /// The rows after a key, in the key's order.
    func page(after key: [SQLValue]?, limit: Int, in transaction: Transaction) throws -> [[SQLValue]] {
        var text = SQL.StringInterpolation(literalCapacity: 256, interpolationCount: self.key.count)
        text.appendLiteral("SELECT \(columns.joined(separator: ", ")) FROM \(name)")
        if let key {
            text.appendLiteral(" WHERE (\(self.key.joined(separator: ", "))) > (")
            text.appendList(key)
            text.appendLiteral(")")
        }
        text.appendLiteral(" ORDER BY \(self.key.joined(separator: ", ")) LIMIT \(limit)")
        return try transaction.query(SQL(stringInterpolation: text)).map(\.values)
    }

    /// Inserts rows in one statement.
    func insert(_ rows: some Collection<[SQLValue]>, in transaction: Transaction) throws {
        guard !rows.isEmpty else { return }
        var text = SQL.StringInterpolation(literalCapacity: 256, interpolationCount: rows.count * columns.count)
        text.appendLiteral("INSERT INTO \(name) (\(columns.joined(separator: ", "))) VALUES ")
        for (index, row) in rows.enumerated() {
            text.appendLiteral(index == 0 ? "(" : ", (")
            text.appendList(row)
            text.appendLiteral(")")
        }
        try transaction.execute(SQL(stringInterpolation: text))
    }
}

extension SQL.StringInterpolation {
    mutating func appendList(_ values: [SQLValue]) {
        for (index, value) in values.enumerated() {
            if index > 0 { appendLiteral(", ") }
            appendInterpolation(value)
        }
    }
}
