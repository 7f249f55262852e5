/// A table that is copied with a store.
struct StoreTable: Sendable {
    let name: String
    /// The columns of the primary key, which orders the pages.
    let key: [String]
    let columns: [String]

    private init(_ name: String, key: [String], _ others: [String]) {
        self.name = name
        self.key = key
        columns = key + others
    }

    /// Every table except the leases and the clock, which belong to running nodes, and the migrator's own. A table comes after those that it
    /// refers to.
    static let all: [StoreTable] = [
        StoreTable(
            "accounts",
            key: ["project_id", "tenant_id", "local_id"],
            [
                "email", "email_verified", "initial_email", "phone_number", "password_hash", "password_updated_at",
                "display_name", "photo_url", "screen_name", "language", "date_of_birth", "time_zone", "disabled", "valid_since",
                "custom_attributes", "custom_auth", "email_link_sign_in", "created_at", "last_login_at", "last_refresh_at",
                "second_factors", "proof_generation", "email_proven_at", "phone_added_at", "shown_empty", "password_generation",
            ]
        ),
        StoreTable(
            "identities",
            key: ["project_id", "tenant_id", "local_id", "provider_id"],
            ["raw_id", "email", "display_name", "photo_url", "screen_name", "linked_at", "mail_disabled", "mail_changed_at"]
        ),
        StoreTable(
            "import_digests",
            key: ["project_id", "tenant_id", "local_id"],
            ["imported_at", "key_check", "digests"]
        ),
        StoreTable(
            "passkeys",
            key: ["project_id", "tenant_id", "credential_id"],
            ["local_id", "name", "public_key", "sign_count", "created_at"]
        ),
        StoreTable(
            "sessions",
            key: ["token_hash"],
            [
                "project_id", "tenant_id", "local_id", "session_id", "sign_in_provider", "claims", "sign_in_attributes",
                "user_agent", "auth_time", "created_at", "last_used_at", "revoked_at", "second_factor", "second_factor_id",
            ]
        ),
        StoreTable("used_credentials", key: ["project_id", "tenant_id", "credential_hash"], ["expires_at"]),
        StoreTable(
            "signing_keys",
            key: ["kid"],
            ["purpose", "private_key", "certificate", "created_at", "activated_at", "retired_at"]
        ),
        StoreTable("resources", key: ["project_id", "tenant_id", "kind", "resource_id"], ["document", "updated_at"]),
        StoreTable(
            "email_outbox",
            key: ["message_id"],
            [
                "project_id", "tenant_id", "payload", "created_at", "expires_at", "due_at", "lease_id", "attempts",
                "last_failure",
                "outcome", "finished_at",
            ]
        ),
        StoreTable(
            "oob_codes",
            key: ["code_hash"],
            [
                "project_id", "tenant_id", "request_type", "email", "new_email", "local_id", "created_at", "expires_at",
                "sealed_code", "enrollment_id", "generation", "proven_at", "used_at",
            ]
        ),
        StoreTable(
            "authorization_flows",
            key: ["state_hash"],
            [
                "project_id", "tenant_id", "provider_id", "client_id", "redirect_uri", "session_hash", "secrets",
                "handler_data", "answer", "created_at", "expires_at",
            ]
        ),
        StoreTable(
            "answered_flows",
            key: ["state_hash"],
            ["project_id", "tenant_id", "provider_id", "client_id", "session_hash", "answer_hash", "proof", "expires_at"]
        ),
        StoreTable(
            "admin_tokens",
            key: ["token_id"],
            ["project_id", "name", "scopes", "token_hash", "created_at", "expires_at", "revoked_at", "last_used_at"]
        ),
        StoreTable(
            "sms_outbox",
            key: ["message_id"],
            [
                "project_id", "tenant_id", "payload", "created_at", "expires_at", "due_at", "lease_id", "attempts",
                "last_failure", "outcome", "finished_at",
            ]
        ),
        StoreTable(
            "webhook_outbox",
            key: ["message_id"],
            [
                "project_id", "tenant_id", "payload", "created_at", "expires_at", "due_at", "lease_id", "attempts",
                "last_failure", "outcome", "finished_at",
            ]
        ),
        StoreTable(
            "sms_codes",
            key: ["code_id"],
            [
                "project_id", "tenant_id", "purpose", "app", "phone_number", "code_mac", "tries", "created_at", "expires_at",
                "sealed_code", "proof_hash",
            ]
        ),
        StoreTable(
            "app_credentials",
            key: ["receipt_hash"],
            ["project_id", "tenant_id", "secret_hash", "bundle_id", "expires_at"]
        ),
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
        StoreTable(
            "audit_chains",
            key: ["project_id", "tenant_id", "chain_class"],
            ["head_seq", "head_hash", "head_checkpoint", "cut_seq", "cut_hash", "cut_checkpoint"]
        ),
        StoreTable("daily_counts", key: ["project_id", "tenant_id", "day", "metric", "label"], ["count"]),
        StoreTable(
            "operators",
            key: ["project_id", "operator_id"],
            [
                "email", "role", "bound_tenant_id", "password_hash", "sealed_totp", "totp_step", "created_at", "last_sign_in_at",
            ]
        ),
        StoreTable(
            "operator_passkeys",
            key: ["project_id", "credential_id"],
            ["operator_id", "name", "public_key", "sign_count", "created_at", "last_used_at"]
        ),
        StoreTable(
            "operator_sessions",
            key: ["project_id", "session_hash"],
            ["operator_id", "created_at", "last_used_at", "confirmed_at", "address", "user_agent"]
        ),
        StoreTable(
            "operator_invitations",
            key: ["project_id", "code_hash"],
            ["email", "role", "bound_tenant_id", "invited_by", "created_at", "expires_at"]
        ),
        StoreTable(
            "operator_approvals",
            key: ["project_id", "approval_id"],
            [
                "operator_id", "action", "bound_tenant_id", "fingerprint", "detail", "requested_at", "expires_at", "approved_by",
            ]
        ),
        StoreTable(
            "config_changes",
            key: ["project_id", "tenant_id", "event_id"],
            ["changed_at", "kind", "resource_id", "action", "actor", "members"]
        ),
        StoreTable("audit_cursors", key: ["receiver", "project_id", "tenant_id", "chain_class"], ["seq", "hash"]),
    ]

    /// How many rows there are.
    func count(in transaction: any Transaction) throws -> Int64 {
        try transaction.queryOne("SELECT count(*) AS n FROM \(raw: name)")?.integer("n") ?? 0
    }

    /// The rows after a key, in the key's order.
    func page(after key: [SQLValue]?, limit: Int, in transaction: any Transaction) throws -> [[SQLValue]] {
        var text = SQL.StringInterpolation(literalCapacity: 256, interpolationCount: self.key.count)
        text.appendLiteral("SELECT \(columns.joined(separator: ", ")) FROM \(name)")
        if let key {
            text.appendLiteral(" WHERE (\(self.key.joined(separator: ", "))) > (")
            text.appendList(key)
            text.appendLiteral(")")
        }
        text.appendLiteral(" ORDER BY \(self.key.joined(separator: ", ")) LIMIT \(limit)")
        return try transaction.query(SQL(stringInterpolation: text)).map { row in try columns.map(row.value) }
    }

    /// Inserts rows in one statement.
    func insert(_ rows: some Collection<[SQLValue]>, in transaction: any Transaction) throws {
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
