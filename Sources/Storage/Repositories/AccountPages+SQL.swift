package import Project

extension Transaction {
    /// A page of a scope's accounts in the order of their ids.
    ///
    /// - Parameters:
    ///   - scope: The project or tenant.
    ///   - localID: The last account of the page before; `nil` for the first page.
    ///   - limit: How many at most.
    /// - Returns: The accounts.
    /// - Throws: `StorageError`.
    package func accountPage(_ scope: Scope, after localID: String?, limit: Int) throws -> [AccountRecord] {
        try query(
            """
            SELECT \(raw: AccountRecord.columns) FROM accounts
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND local_id > \(localID ?? "")
            ORDER BY local_id LIMIT \(limit)
            """
        ).map(AccountRecord.init(row:))
    }

    /// The live sessions of an account, the last used first.
    package func liveSessions(_ scope: Scope, localID: String) throws -> [SessionRecord] {
        try query(
            """
            SELECT \(raw: SessionRecord.columns) FROM sessions
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND local_id = \(localID)
                AND revoked_at IS NULL
            ORDER BY last_used_at DESC
            """
        ).map(SessionRecord.init(row:))
    }
}
