/// The migrations of the SQLite engine, embedded in the binary: one line for each `NNNN_name.sql` of this folder.
package enum SQLiteMigrations {
    /// Version, name and text, in order. A constant is named as its file, without the file name's first digit.
    package static let all: [(version: Int, name: String, sql: String)] = [
        (1, "initial", text(PackageResources._001_initial_sql)),
        (2, "leases", text(PackageResources._002_leases_sql)),
        (3, "email_outbox", text(PackageResources._003_email_outbox_sql)),
        (4, "codes_and_throttles", text(PackageResources._004_codes_and_throttles_sql)),
        (5, "second_factors", text(PackageResources._005_second_factors_sql)),
        (6, "authorization_flows", text(PackageResources._006_authorization_flows_sql)),
        (7, "phone", text(PackageResources._007_phone_sql)),
        (8, "passkeys", text(PackageResources._008_passkeys_sql)),
        (9, "admin", text(PackageResources._009_admin_sql)),
        (10, "hooks", text(PackageResources._010_hooks_sql)),
        (11, "admin_tokens", text(PackageResources._011_admin_tokens_sql)),
        (12, "identity_mail", text(PackageResources._012_identity_mail_sql)),
        (13, "lookups", text(PackageResources._013_lookups_sql)),
        (14, "apple_mail_events", text(PackageResources._014_apple_mail_events_sql)),
        (15, "sms_proofs", text(PackageResources._015_sms_proofs_sql)),
        (16, "ownership", text(PackageResources._016_ownership_sql)),
        (17, "session_ids", text(PackageResources._017_session_ids_sql)),
        (18, "audit_repeats", text(PackageResources._018_audit_repeats_sql)),
        (19, "emulator_and_password_work", text(PackageResources._019_emulator_and_password_work_sql)),
        (20, "audit_chain", text(PackageResources._020_audit_chain_sql)),
        (21, "audit_signatures", text(PackageResources._021_audit_signatures_sql)),
        (22, "search", text(PackageResources._022_search_sql)),
        (23, "daily_counts", text(PackageResources._023_daily_counts_sql)),
        (24, "operators", text(PackageResources._024_operators_sql)),
        (25, "config_changes", text(PackageResources._025_config_changes_sql)),
        (26, "answered_flows", text(PackageResources._026_answered_flows_sql)),
        (27, "import_digests", text(PackageResources._027_import_digests_sql)),
        (28, "lookups_by_account", text(PackageResources._028_lookups_by_account_sql)),
        (29, "store_clock", text(PackageResources._029_store_clock_sql)),
        (30, "ways_back", text(PackageResources._030_ways_back_sql)),
        (31, "account_throttles", text(PackageResources._031_account_throttles_sql)),
        (32, "account_throttles_rows", text(PackageResources._032_account_throttles_rows_sql)),
        (33, "steady_clock", text(PackageResources._033_steady_clock_sql)),
    ]

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
