import Testing

@testable import Storage
@testable import Tokens

@Suite("The columns of the store")
struct SealedColumnTests {
    /// The columns of the store that hold nothing sealed. A new column belongs here, or to ``SealedColumn`` and
    /// `TokenSealer.Purpose.places`, so that a new master key reaches it.
    private static let plain: [String: [String]] = [
        "accounts": [
            "project_id", "tenant_id", "local_id", "email", "email_verified", "initial_email", "phone_number",
            "password_hash", "password_updated_at", "display_name", "photo_url", "screen_name", "language", "date_of_birth",
            "time_zone", "disabled", "valid_since", "custom_attributes", "custom_auth", "email_link_sign_in", "created_at",
            "last_login_at", "last_refresh_at", "proof_generation", "email_proven_at", "phone_added_at", "shown_empty",
            "password_generation",
        ],
        "identities": [
            "project_id", "tenant_id", "local_id", "provider_id", "raw_id", "email", "display_name", "photo_url",
            "screen_name", "linked_at", "mail_disabled", "mail_changed_at",
        ],
        "import_digests": [
            "project_id", "tenant_id", "local_id", "imported_at", "key_check", "digests",
        ],
        "passkeys": [
            "project_id", "tenant_id", "credential_id", "local_id", "name", "public_key", "sign_count", "created_at",
        ],
        "sessions": [
            "token_hash", "project_id", "tenant_id", "local_id", "session_id", "sign_in_provider", "claims",
            "sign_in_attributes", "user_agent", "auth_time", "created_at", "last_used_at", "revoked_at", "second_factor",
            "second_factor_id",
        ],
        "used_credentials": [
            "project_id", "tenant_id", "credential_hash", "expires_at",
        ],
        "signing_keys": [
            "kid", "purpose", "certificate", "created_at", "activated_at", "retired_at",
        ],
        "resources": [
            "project_id", "tenant_id", "kind", "resource_id", "updated_at",
        ],
        "email_outbox": [
            "message_id", "project_id", "tenant_id", "created_at", "expires_at", "due_at", "lease_id", "attempts",
            "last_failure", "outcome", "finished_at",
        ],
        "oob_codes": [
            "code_hash", "project_id", "tenant_id", "request_type", "email", "new_email", "local_id", "created_at",
            "expires_at", "enrollment_id", "generation", "proven_at", "used_at",
        ],
        "authorization_flows": [
            "state_hash", "project_id", "tenant_id", "provider_id", "client_id", "redirect_uri", "session_hash",
            "handler_data", "created_at", "expires_at",
        ],
        "answered_flows": [
            "state_hash", "project_id", "tenant_id", "provider_id", "client_id", "session_hash", "answer_hash", "expires_at",
        ],
        "admin_tokens": [
            "token_id", "project_id", "name", "scopes", "token_hash", "created_at", "expires_at", "revoked_at",
            "last_used_at",
        ],
        "sms_outbox": [
            "message_id", "project_id", "tenant_id", "created_at", "expires_at", "due_at", "lease_id", "attempts",
            "last_failure", "outcome", "finished_at",
        ],
        "webhook_outbox": [
            "message_id", "project_id", "tenant_id", "payload", "created_at", "expires_at", "due_at", "lease_id", "attempts",
            "last_failure", "outcome", "finished_at",
        ],
        "sms_codes": [
            "code_id", "project_id", "tenant_id", "purpose", "app", "phone_number", "code_mac", "tries", "created_at",
            "expires_at", "proof_hash",
        ],
        "app_credentials": [
            "receipt_hash", "project_id", "tenant_id", "secret_hash", "bundle_id", "expires_at",
        ],
        "password_work": [
            "work", "noted_at",
        ],
        "throttles": [
            "project_id", "tenant_id", "bucket", "count", "ends_at", "blocked_until", "local_id", "settled",
        ],
        "audit_events": [
            "event_id", "project_id", "tenant_id", "occurred_at", "event", "local_id", "actor", "address", "detail",
            "repeats", "last_at", "chain_class", "chain_seq", "chain_hash", "chain_checkpoint",
        ],
        "audit_chains": [
            "project_id", "tenant_id", "chain_class", "head_seq", "head_hash", "head_checkpoint", "cut_seq", "cut_hash",
            "cut_checkpoint",
        ],
        "daily_counts": [
            "project_id", "tenant_id", "day", "metric", "label", "count",
        ],
        "operators": [
            "project_id", "operator_id", "email", "role", "bound_tenant_id", "password_hash", "totp_step", "created_at",
            "last_sign_in_at",
        ],
        "operator_passkeys": [
            "project_id", "credential_id", "operator_id", "name", "public_key", "sign_count", "created_at", "last_used_at",
        ],
        "operator_sessions": [
            "project_id", "session_hash", "operator_id", "created_at", "last_used_at", "confirmed_at", "address", "user_agent",
        ],
        "operator_invitations": [
            "project_id", "code_hash", "email", "role", "bound_tenant_id", "invited_by", "created_at", "expires_at",
        ],
        "operator_approvals": [
            "project_id", "approval_id", "operator_id", "action", "bound_tenant_id", "fingerprint", "detail", "requested_at",
            "expires_at", "approved_by",
        ],
        "config_changes": [
            "project_id", "tenant_id", "event_id", "changed_at", "kind", "resource_id", "action", "actor", "members",
        ],
        "audit_cursors": [
            "receiver", "project_id", "tenant_id", "chain_class", "seq", "hash",
        ],
    ]

    @Test("each is known to hold sealed values or none")
    func columns() {
        let sealed = Dictionary(grouping: MasterKeyRotation.columns, by: \.table)
        for table in StoreTable.all {
            let known = (Self.plain[table.name] ?? []) + (sealed[table.name]?.map(\.column) ?? [])
            #expect(Set(table.columns) == Set(known), "\(table.name)")
            #expect(known.count == Set(known).count, "\(table.name)")
        }
    }
}
