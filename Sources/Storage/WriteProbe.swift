import Project

/// What shows that a store takes writes: more than a sign-in writes, so that it does not fit where one did not.
///
/// Its bytes cannot be compressed, for PostgreSQL compresses long values: 65,536 equal characters are 762 bytes there, which fit
/// into a page that is half empty on a full disk (threat case OPS-12).
enum WriteProbe {
    private static let length = 1 << 16

    /// For a value that is there once.
    static let bytes = material(0)

    /// For a row that differs each time.
    fileprivate static let texts = (Base64URL.encode(material(1)), Base64URL.encode(material(2)))

    private static func material(_ seed: UInt8) -> [UInt8] {
        (0..<length / 32).flatMap { sha256([seed] + Array("\($0)".utf8)) }
    }
}

extension Transaction {
    /// Changes a row that means nothing. It differs each time: SQLite writes no page that stays as it was.
    func changeProbe() throws {
        let old = try queryOne("SELECT holder FROM leases WHERE name = 'probe'")?.text("holder")
        let texts = WriteProbe.texts
        let text = bytesEqual(old, texts.0) ? texts.1 : texts.0
        try execute(
            """
            INSERT INTO leases (name, holder, expires_at) VALUES ('probe', \(text), 0)
            ON CONFLICT (name) DO UPDATE SET holder = \(text)
            """
        )
    }

    /// Makes a table, fills it and drops it again, on PostgreSQL: space that deleted rows left in older tables does not help here.
    func growTable() throws {
        // Of no other connection now.
        let number = try queryOne("SELECT pg_backend_pid() AS number")?.integer("number") ?? 0
        let name = "postern_write_probe_\(number)"
        try execute("CREATE TABLE \(raw: name) (filler BYTEA NOT NULL)")
        try execute("INSERT INTO \(raw: name) (filler) VALUES (\(WriteProbe.bytes))")
        try execute("DROP TABLE \(raw: name)")
    }
}
