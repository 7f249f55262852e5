package import Project

/// What policies are about, counted over a bounded number of accounts.
package struct AccountCensus: Sendable, Hashable {
    /// How many accounts were looked at.
    package let examined: Int
    /// Whether there are more.
    package let isPartial: Bool
    package let withPassword: Int
    package let withoutSecondFactor: Int
}

extension Transaction {
    /// Counts accounts of a scope.
    ///
    /// - Parameter limit: How many accounts are looked at, so that the cost does not grow with their number.
    package func accountCensus(_ scope: Scope, limit: Int) throws -> AccountCensus {
        // The order is that of the primary key.
        let row = try queryOne(
            """
            SELECT count(*) AS accounts, count(password_hash) AS passwords,
                COALESCE(sum(CASE WHEN second_factors IS NULL OR second_factors = '[]' THEN 1 ELSE 0 END), 0) AS without_factor
            FROM (SELECT password_hash, second_factors FROM accounts
                WHERE \(scope) ORDER BY local_id LIMIT \(limit)) AS counted
            """
        )
        let more = try query("SELECT 1 AS one FROM accounts WHERE \(scope) ORDER BY local_id LIMIT 1 OFFSET \(limit)")
        return AccountCensus(
            examined: Int(try row?.integer("accounts") ?? 0),
            isPartial: !more.isEmpty,
            withPassword: Int(try row?.integer("passwords") ?? 0),
            withoutSecondFactor: Int(try row?.integer("without_factor") ?? 0)
        )
    }
}
