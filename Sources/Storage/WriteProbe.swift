import Project

/// The data that probes write. It is larger than the writes of a sign-in, so that a probe fails when those do.
///
/// Its bytes cannot be compressed. PostgreSQL compresses long values: 65,536 equal characters take 762 bytes, which fit into a
/// half-empty page on a full disk (threat case OPS-12).
enum WriteProbe {
    private static let length = 1 << 16

    /// For a value that is stored once.
    static let bytes = material(0)

    /// For a row that changes each time.
    fileprivate static let texts = (Base64URL.encode(material(1)), Base64URL.encode(material(2)))

    private static func material(_ seed: UInt8) -> [UInt8] {
        (0..<length / 32).flatMap { sha256([seed] + Array("\($0)".utf8)) }
    }
}

extension Transaction {
    /// Changes a row that has no meaning. The value differs each time, because SQLite does not write unchanged pages.
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

    /// Creates a table on PostgreSQL, fills it and drops it. Free space inside older tables does not help such a write.
    func growTable() throws {
        // No other open connection has this number.
        let number = try queryOne("SELECT pg_backend_pid() AS number")?.integer("number") ?? 0
        let name = "postern_write_probe_\(number)"
        try execute("CREATE TABLE \(raw: name) (filler BYTEA NOT NULL)")
        try execute("INSERT INTO \(raw: name) (filler) VALUES (\(WriteProbe.bytes))")
        try execute("DROP TABLE \(raw: name)")
    }
}
