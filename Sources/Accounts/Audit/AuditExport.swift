package import Project
package import Storage

/// Writes the audit trail in the order of its chains, for archives and other systems.
package struct AuditExport: Sendable {
    /// The form of a line.
    package enum Format: String, Sendable, CaseIterable {
        /// Each record with its hash, and the signed statements: what it takes to verify a chain.
        case jsonl
        /// Events of the Open Cybersecurity Schema Framework.
        case ocsf
    }

    private let database: any Database
    private let format: Format

    private static let page = 500

    package init(database: any Database, format: Format) {
        self.database = database
        self.format = format
    }

    /// Writes every record that has a place.
    package func export(projectID: String, _ write: (JSONValue) async throws -> Void) async throws -> Int {
        var count = 0
        for key in try await database.read({ try $0.auditChainKeys(ofProject: projectID) }) {
            guard let ends = try await database.read({ try $0.auditChain(key) }) else { continue }
            if format == .jsonl, let cut = ends.cutCheckpoint { try await write(AuditLine.json(checkpoint: cut, .cut)) }
            var (last, hash) = ((seq: ends.cutSeq, eventID: ""), ends.cutHash)
            while last.seq < ends.headSeq {
                let from = last
                let rows = try await database.read { try $0.chainedAuditRows(key, after: from, limit: Self.page) }
                for row in rows where row.seq <= ends.headSeq {
                    try await write(line(row, key, previous: hash))
                    hash = row.hash
                    count += 1
                }
                guard let end = rows.last else { break }
                last = (end.seq, end.event.eventID)
            }
            if format == .jsonl { try await write(AuditLine.json(checkpoint: ends.headCheckpoint, .head)) }
        }
        return count
    }

    private func line(_ row: AuditRow, _ key: AuditChainKey, previous: String) -> JSONValue {
        switch format {
        case .jsonl: AuditLine.json(row, key, previous: previous)
        case .ocsf: OCSFEvent(row, key).json
        }
    }
}

/// Records and signed statements as other systems get them.
package enum AuditLine {
    /// The record with its hash.
    ///
    /// - Returns: `hash`, and `record`, whose text with sorted names and without spaces is what was hashed.
    package static func json(_ row: AuditRow, _ key: AuditChainKey, previous: String) -> JSONValue {
        ["hash": .string(row.hash), "record": AuditHash.content(row, in: key, seq: row.seq, previous: previous)]
    }

    /// A signed statement.
    package static func json(checkpoint: String, _ kind: AuditCheckpoint.Kind) -> JSONValue {
        ["checkpoint": .string(checkpoint), "kind": .string(kind.rawValue)]
    }
}
