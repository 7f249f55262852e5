/// The steps of the schema, embedded in the binary: one line for each `NNNN_name.sql` of the folder `Steps`. Where PostgreSQL needs a text
/// of its own, that is `NNNN_name.postgresql.sql`.
package struct MigrationStep: Sendable {
    package let version: Int
    package let name: String
    package let sqlite: String
    package let postgreSQL: String

    private init(_ version: Int, _ name: String, _ text: [UInt8], postgreSQL: [UInt8]? = nil) {
        self.version = version
        self.name = name
        sqlite = String(decoding: text, as: UTF8.self)
        self.postgreSQL = String(decoding: postgreSQL ?? text, as: UTF8.self)
    }

    private typealias Texts = PackageResources

    /// All of them, in order. A constant is named as its file, without the file name's first digit.
    package static let all: [MigrationStep] = [
        MigrationStep(1, "initial", Texts._001_initial_sql),
        MigrationStep(2, "leases", Texts._002_leases_sql),
        MigrationStep(3, "email_outbox", Texts._003_email_outbox_sql),
        MigrationStep(4, "codes_and_throttles", Texts._004_codes_and_throttles_sql),
        MigrationStep(5, "second_factors", Texts._005_second_factors_sql),
        MigrationStep(6, "authorization_flows", Texts._006_authorization_flows_sql),
        MigrationStep(7, "phone", Texts._007_phone_sql),
        MigrationStep(8, "passkeys", Texts._008_passkeys_sql),
        MigrationStep(9, "admin", Texts._009_admin_sql, postgreSQL: Texts._009_admin_postgresql_sql),
        MigrationStep(10, "hooks", Texts._010_hooks_sql),
        MigrationStep(11, "admin_tokens", Texts._011_admin_tokens_sql),
        MigrationStep(12, "identity_mail", Texts._012_identity_mail_sql),
        MigrationStep(13, "lookups", Texts._013_lookups_sql, postgreSQL: Texts._013_lookups_postgresql_sql),
        MigrationStep(14, "apple_mail_events", Texts._014_apple_mail_events_sql),
        MigrationStep(15, "sms_proofs", Texts._015_sms_proofs_sql),
        MigrationStep(16, "ownership", Texts._016_ownership_sql),
        MigrationStep(17, "session_ids", Texts._017_session_ids_sql),
        MigrationStep(18, "audit_repeats", Texts._018_audit_repeats_sql),
        MigrationStep(19, "emulator_and_password_work", Texts._019_emulator_and_password_work_sql),
        MigrationStep(20, "audit_chain", Texts._020_audit_chain_sql),
        MigrationStep(21, "audit_signatures", Texts._021_audit_signatures_sql),
        MigrationStep(22, "search", Texts._022_search_sql, postgreSQL: Texts._022_search_postgresql_sql),
        MigrationStep(23, "daily_counts", Texts._023_daily_counts_sql),
        MigrationStep(24, "operators", Texts._024_operators_sql),
        MigrationStep(25, "config_changes", Texts._025_config_changes_sql),
        MigrationStep(26, "answered_flows", Texts._026_answered_flows_sql),
        MigrationStep(27, "import_digests", Texts._027_import_digests_sql),
        MigrationStep(
            28,
            "lookups_by_account",
            Texts._028_lookups_by_account_sql,
            postgreSQL: Texts._028_lookups_by_account_postgresql_sql
        ),
        MigrationStep(29, "store_clock", Texts._029_store_clock_sql),
        MigrationStep(30, "ways_back", Texts._030_ways_back_sql),
        MigrationStep(31, "account_throttles", Texts._031_account_throttles_sql),
        MigrationStep(32, "account_throttles_rows", Texts._032_account_throttles_rows_sql),
        MigrationStep(33, "steady_clock", Texts._033_steady_clock_sql),
    ]
}
