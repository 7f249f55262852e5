import Foundation
package import Project

/// What the last import gave an account, as keyed digests: enough to tell what a file has changed, and nothing of the values.
package struct ImportDigestsRecord: Sendable, Hashable {
    /// When the account's password and second factors were last taken from a file.
    package let importedAt: Timestamp
    /// Tells which key the digests were made with.
    package let keyCheck: String
    /// By the names of the members; those that the file did not have are absent.
    package let digests: [String: String]

    package init(importedAt: Timestamp, keyCheck: String, digests: [String: String]) {
        self.importedAt = importedAt
        self.keyCheck = keyCheck
        self.digests = digests
    }

    fileprivate init(row: Row) throws {
        importedAt = try row.timestamp("imported_at")
        keyCheck = try row.text("key_check")
        let members = (try? JSONValue.parse(row.text("digests").utf8))?.object ?? [:]
        digests = Dictionary(members.compactMap { entry in entry.value.string.map { (entry.key.text, $0) } }) { $1 }
    }
}

extension Transaction {
    /// What the last import gave an account; `nil` when none is known.
    package func importDigests(_ scope: Scope, localID: String) throws -> ImportDigestsRecord? {
        try queryOne(
            """
            SELECT imported_at, key_check, digests FROM import_digests
            WHERE \(scope) AND local_id = \(localID)
            """
        ).map(ImportDigestsRecord.init(row:))
    }

    /// Stores what an import gave an account. It goes with the account.
    package func setImportDigests(_ scope: Scope, localID: String, _ record: ImportDigestsRecord) throws {
        let text = JSONValue.object(JSONObject(naming: record.digests.map { ($0, .string($1)) })).serialized()
        try execute(
            """
            INSERT INTO import_digests (project_id, tenant_id, local_id, imported_at, key_check, digests)
            VALUES (\(scope.projectID), \(scope.tenantKey), \(localID), \(record.importedAt), \(record.keyCheck),
                \(String(decoding: text, as: UTF8.self)))
            ON CONFLICT (project_id, tenant_id, local_id) DO UPDATE SET imported_at = excluded.imported_at,
                key_check = excluded.key_check, digests = excluded.digests
            """
        )
    }
}
