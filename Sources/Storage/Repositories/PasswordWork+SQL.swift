package import Project

/// Identifies an account in the whole store, for iterating over it.
package struct AccountKey: Sendable, Hashable {
    fileprivate let projectID: String
    fileprivate let tenantKey: String
    fileprivate let localID: String
}

extension Transaction {
    /// The costs of checking the passwords in the store, in the byte order of the texts.
    ///
    /// - Parameter limit: The largest number of texts.
    /// - Returns: The texts.
    /// - Throws: `StorageError`.
    package func passwordWork(limit: Int) throws -> [String] {
        try query("SELECT work FROM password_work ORDER BY \(bytewise: "work") LIMIT \(limit)").map { try $0.text("work") }
    }

    /// Records the cost of checking a password that is in the store. A record of the last hour is left unchanged, so that
    /// parallel imports do not wait for each other.
    ///
    /// - Parameters:
    ///   - work: The cost.
    ///   - time: The current time.
    /// - Throws: `StorageError`.
    package func notePasswordWork(_ work: String, at time: Timestamp) throws {
        let recent = time - .seconds(3600)
        try execute(
            """
            INSERT INTO password_work (work, noted_at) VALUES (\(work), \(time.milliseconds))
            ON CONFLICT (work) DO UPDATE SET noted_at = excluded.noted_at
            WHERE password_work.noted_at < \(recent.milliseconds)
            """
        )
    }

    /// Deletes the costs that were not recorded since a time.
    ///
    /// - Returns: How many were deleted.
    /// - Throws: `StorageError`.
    package func forgetPasswordWork(notedBefore time: Timestamp) throws -> Int {
        try execute("DELETE FROM password_work WHERE noted_at < \(time.milliseconds)")
    }

    /// A page of the store's passwords, of all projects and tenants.
    ///
    /// - Parameters:
    ///   - key: The last account of the page before; `nil` for the first page.
    ///   - limit: The largest number of accounts.
    /// - Returns: The stored passwords of these accounts, and the last account; `nil` at the end.
    /// - Throws: `StorageError`.
    package func passwordTexts(after key: AccountKey?, limit: Int) throws -> (texts: [String], last: AccountKey?) {
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
        return (try rows.compactMap { try $0.textIfPresent("password_hash") }, last)
    }
}
