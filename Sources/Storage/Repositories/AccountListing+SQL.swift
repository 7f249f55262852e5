package import Project

/// The sort keys of account lists (`Docs/Contract/admin-accounts.md` §13).
package enum AccountOrder: Sendable, Hashable {
    case localID
    case displayName
    case createdAt
    case lastLoginAt
    case email

    fileprivate var column: String? {
        switch self {
        case .localID: nil
        case .displayName: "display_name"
        case .createdAt: "created_at"
        case .lastLoginAt: "last_login_at"
        case .email: "email"
        }
    }
}

extension Transaction {
    /// A page of accounts in the byte order of their ids. Accounts that are added or deleted meanwhile do not shift the pages.
    package func accounts(_ scope: Scope, after localID: String?, limit: Int) throws -> [AccountRecord] {
        try all(
            """
            WHERE \(bytewise: scope) AND \(bytewise: "local_id") > \(localID ?? "")
            ORDER BY \(bytewise: "local_id") LIMIT \(limit)
            """
        )
    }

    /// A range of the accounts in any order. Accounts without the sort key come last.
    ///
    /// - Parameter order: Accounts with equal keys are sorted by id.
    package func accounts(
        _ scope: Scope,
        by order: AccountOrder,
        isDescending: Bool,
        limit: Int,
        offset: Int64
    ) throws -> [AccountRecord] {
        let direction = isDescending ? "DESC" : "ASC"
        var terms: [String] = []
        if let column = order.column {
            // Engines differ in the place of nulls. A column without nulls needs no such term, so that its index can be used.
            if order != .createdAt { terms.append("(\(column) IS NULL)") }
            terms.append("\(column) \(direction)")
        }
        let leading = terms.map { $0 + ", " }.joined()
        return try all(
            """
            WHERE \(bytewise: scope)
            ORDER BY \(raw: leading)\(bytewise: "local_id") \(raw: direction) LIMIT \(limit) OFFSET \(offset)
            """
        )
    }

    package func accountCount(_ scope: Scope) throws -> Int64 {
        try queryOne(
            "SELECT count(*) AS n FROM accounts WHERE \(scope)"
        )?.integer("n") ?? 0
    }

    /// The accounts whose first address was the given one, oldest first.
    package func accounts(_ scope: Scope, initialEmail: String, limit: Int) throws -> [AccountRecord] {
        // As a sum, the time does not lead SQLite to the index of times, where it would read every account.
        try all(
            """
            WHERE \(scope) AND initial_email = \(initialEmail)
            ORDER BY created_at + 0, \(bytewise: "local_id") LIMIT \(limit)
            """
        )
    }

    /// The identities of many accounts. Those of each account are in the order of linking.
    package func identities(_ scope: Scope, localIDs: [String]) throws -> [String: [IdentityRecord]] {
        var found: [String: [IdentityRecord]] = [:]
        for row in try rows(
            IdentityRecord.table.names,
            of: "identities",
            scope,
            localIDs: localIDs,
            order: "ORDER BY linked_at, provider_id"
        ) {
            found[try row.text("local_id"), default: []].append(try IdentityRecord(row: row))
        }
        return found
    }

    /// Those of many accounts that have a passkey.
    package func passkeyHolders(_ scope: Scope, localIDs: [String]) throws -> Set<String> {
        Set(try rows("1 AS one", of: "passkeys", scope, localIDs: localIDs, order: "").map { try $0.text("local_id") })
    }

    private func rows(
        _ columns: String,
        of table: String,
        _ scope: Scope,
        localIDs: [String],
        order: String
    ) throws -> [Row] {
        var found: [Row] = []
        var rest = localIDs.map(SQLValue.text)[...]
        while !rest.isEmpty {
            var statement = SQL.StringInterpolation(literalCapacity: 512, interpolationCount: SQL.listLength + 2)
            statement.appendLiteral("SELECT \(columns), local_id FROM \(table) WHERE ")
            statement.appendInterpolation(scope)
            statement.appendLiteral(" AND local_id IN (")
            statement.appendList(takingFrom: &rest)
            statement.appendLiteral(") \(order)")
            found += try query(SQL(stringInterpolation: statement))
        }
        return found
    }
}

extension SQL.StringInterpolation {
    /// The condition that a row belongs to a scope, in the form that the indexes with byte order need.
    mutating func appendInterpolation(bytewise scope: Scope) {
        appendInterpolation(bytewise: "project_id")
        appendLiteral(" = ")
        appendInterpolation(scope.projectID)
        appendLiteral(" AND ")
        appendInterpolation(bytewise: "tenant_id")
        appendLiteral(" = ")
        appendInterpolation(scope.tenantKey)
    }
}
