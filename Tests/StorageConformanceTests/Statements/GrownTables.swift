import Storage

/// Rows as many users leave them.
enum GrownTables {
    /// Adds rows to every table that grows with the users, each of another user of one project.
    static func fill(_ database: any Database, rows: Int, on backend: TestBackend) async throws {
        // The same text as bytes.
        let bytes = backend == .postgreSQL ? "CAST(CAST(n AS TEXT) AS BYTEA)" : "CAST(CAST(n AS TEXT) AS BLOB)"
        let outbox = "message_id, project_id, tenant_id, payload, created_at, expires_at, due_at, attempts, finished_at"
        // One in ten waits.
        let waiting = "'m' || n, 'p', '', 'x', n, n, n, 0, CASE n % 10 WHEN 0 THEN NULL ELSE n END"
        let tables = [
            (
                "accounts (project_id, tenant_id, local_id, email, initial_email, phone_number, display_name, disabled, custom_auth, "
                    + "email_link_sign_in, created_at, last_login_at)",
                "'p', '', 'u' || n, 'u' || n || '@example.com', 'u' || n || '@example.com', '+' || n, 'name ' || n, 0, 0, 0, n, n"
            ),
            (
                "identities (project_id, tenant_id, local_id, provider_id, raw_id, email, linked_at)",
                "'p', '', 'u' || n, 'google.com', 'r' || n, 'u' || n || '@example.com', n"
            ),
            (
                "passkeys (project_id, tenant_id, credential_id, local_id, name, public_key, sign_count, created_at)",
                "'p', '', 'k' || n, 'u' || n, 'key', \(bytes), 0, n"
            ),
            (
                "sessions (token_hash, project_id, tenant_id, local_id, session_id, sign_in_provider, auth_time, created_at, "
                    + "last_used_at, revoked_at)",
                "\(bytes), 'p', '', 'u' || n, 's' || n, 'password', n, n, n, CASE n % 4 WHEN 0 THEN n ELSE NULL END"
            ),
            ("used_credentials (project_id, tenant_id, credential_hash, expires_at)", "'p', '', \(bytes), n"),
            ("email_outbox (\(outbox))", waiting), ("sms_outbox (\(outbox))", waiting), ("webhook_outbox (\(outbox))", waiting),
            (
                "oob_codes (code_hash, project_id, tenant_id, request_type, email, local_id, created_at, expires_at)",
                "\(bytes), 'p', '', 'PASSWORD_RESET', 'u' || n || '@example.com', 'u' || n, n, n"
            ),
            (
                "authorization_flows (state_hash, project_id, tenant_id, provider_id, client_id, redirect_uri, session_hash, "
                    + "secrets, created_at, expires_at)",
                "\(bytes), 'p', '', 'google.com', 'client', 'https://example.com/', \(bytes), 'sealed', n, n"
            ),
            (
                "answered_flows (state_hash, project_id, tenant_id, provider_id, client_id, session_hash, answer_hash, expires_at)",
                "\(bytes), 'p', '', 'google.com', 'client', \(bytes), \(bytes), n"
            ),
            (
                "import_digests (project_id, tenant_id, local_id, imported_at, key_check, digests)",
                "'p', '', 'u' || n, n, 'k', '{}'"
            ),
            (
                "sms_codes (code_id, project_id, tenant_id, purpose, app, phone_number, code_mac, tries, created_at, expires_at)",
                "'c' || n, 'p', '', 'signIn', 'app', '+' || n, \(bytes), 0, n, n"
            ),
            (
                "app_credentials (receipt_hash, project_id, tenant_id, secret_hash, bundle_id, expires_at)",
                "\(bytes), 'p', '', \(bytes), 'com.example', n"
            ),
            (
                "throttles (project_id, tenant_id, bucket, count, ends_at, blocked_until)",
                "'p', '', 'passwords:of:' || n || ':from:192.0.2.1', 1, n, 0"
            ),
            (
                "audit_events (event_id, project_id, tenant_id, occurred_at, event, local_id, actor, chain_class, chain_seq)",
                "'e' || n, 'p', '', n, 'signIn', 'u' || n, 'user', CASE WHEN n % 10 > 0 THEN 'signIn' ELSE NULL END, "
                    + "CASE WHEN n % 10 > 0 THEN n ELSE NULL END"
            ),
        ]
        for (table, values) in tables {
            try await database.execute(
                """
                INSERT INTO \(raw: table)
                WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(raw: String(rows)))
                SELECT \(raw: values) FROM numbers
                """
            )
        }
    }
}
