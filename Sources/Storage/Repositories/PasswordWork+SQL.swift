package import Project

/// Identifies an account in the whole store, for iterating over it.
package struct AccountKey: Sendable, Hashable {
    fileprivate let projectID: String
    fileprivate let tenantKey: String
    fileprivate let localID: String
}

extension Transaction {
    /// The costs of checking the passwords of a scope, in the byte order of the texts.
    ///
    /// - Parameter scope: The project or tenant; `nil` for what holds in all of them.
    package func passwordWork(_ scope: Scope?, limit: Int) throws -> [String] {
        let prefix = Self.workPrefix(scope)
        // A text is a JSON object, so it begins with `{`, and `|` is the next character.
        let rows = try query(
            """
            SELECT work FROM password_work
            WHERE \(bytewise: "work") >= \(prefix + "{") AND \(bytewise: "work") < \(prefix + "|")
            ORDER BY \(bytewise: "work") LIMIT \(limit)
            """
        )
        return try rows.map { String(decoding: try $0.text("work").utf8.dropFirst(prefix.utf8.count), as: UTF8.self) }
    }

    // Neither project nor tenant ids contain these characters.
    private static func workPrefix(_ scope: Scope?) -> String { scope.map { "\($0.projectID)/\($0.tenantKey):" } ?? "" }

    /// Records the cost of checking a password that is in the store. A record of the last hour is left unchanged, so that
    /// parallel imports do not wait for each other.
    ///
    /// - Parameter work: The cost, as a JSON object.
    package func notePasswordWork(_ work: String, _ scope: Scope?, at time: Timestamp) throws {
        let recent = time - .seconds(3600)
        try execute(
            """
            INSERT INTO password_work (work, noted_at) VALUES (\(Self.workPrefix(scope) + work), \(time))
            ON CONFLICT (work) DO UPDATE SET noted_at = excluded.noted_at
            WHERE password_work.noted_at < \(recent)
            """
        )
    }

    /// Deletes the costs that were not recorded since a time.
    package func forgetPasswordWork(notedBefore time: Timestamp) throws -> Int {
        try execute("DELETE FROM password_work WHERE noted_at < \(time)")
    }

    /// A page of the store's passwords, of all projects and tenants.
    ///
    /// - Returns: The last account is `nil` at the end.
    package func passwordTexts(
        after key: AccountKey?,
        limit: Int
    ) throws -> (texts: [(scope: Scope, text: String)], last: AccountKey?) {
        let start: SQL =
            if let key {
                "WHERE (project_id, tenant_id, local_id) > (\(key.projectID), \(key.tenantKey), \(key.localID))"
            } else {
                ""
            }
        let rows = try query(
            """
            SELECT project_id, tenant_id, local_id, password_hash FROM accounts \(sql: start)
            ORDER BY project_id, tenant_id, local_id LIMIT \(limit)
            """
        )
        let last = try rows.last.map { row in
            AccountKey(
                projectID: try row.text("project_id"),
                tenantKey: try row.text("tenant_id"),
                localID: try row.text("local_id")
            )
        }
        let texts = try rows.compactMap { row -> (scope: Scope, text: String)? in
            try row.textIfPresent("password_hash").map { (try row.scope(), $0) }
        }
        return (texts, last)
    }
}
