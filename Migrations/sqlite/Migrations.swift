/// The migrations of the SQLite engine, embedded in the binary: one line for each `NNNN_name.sql` of this folder.
package enum SQLiteMigrations {
    /// Version, name and text, in order. A constant is named as its file, without the file name's first digit.
    package static let all: [(version: Int, name: String, sql: String)] = [
        (1, "initial", text(PackageResources._001_initial_sql)),
        (2, "leases", text(PackageResources._002_leases_sql)),
        (3, "email_outbox", text(PackageResources._003_email_outbox_sql)),
        (4, "codes_and_throttles", text(PackageResources._004_codes_and_throttles_sql)),
        (5, "second_factors", text(PackageResources._005_second_factors_sql)),
        (7, "phone", text(PackageResources._007_phone_sql)),
    ]

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
