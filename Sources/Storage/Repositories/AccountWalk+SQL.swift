package import Project

/// An index along which a search goes through accounts, and the part of it that the search needs.
package enum AccountWalk: Sendable, Hashable {
    /// The newest first: accounts created at `since` or later and before `before`; `nil` for no limit.
    case newest(since: Timestamp?, before: Timestamp?)
    /// Accounts whose stored address begins with a text, in the order of its bytes.
    case email(String)
    /// Accounts whose number begins with a text, in the order of its bytes.
    case phoneNumber(String)
    /// Accounts whose name begins with a text. Only the first ``nameCharacters`` count, ASCII letters in lower case.
    case displayName(String)

    /// How many characters (Unicode scalars) of a name are in the index.
    package static let nameCharacters = 64

    /// Where a walk has got to.
    package struct Place: Sendable, Hashable {
        /// What the index is sorted by.
        package let key: SQLValue
        /// The account's id, which decides between equal keys.
        package let localID: String

        package init(key: SQLValue, localID: String) {
            self.key = key
            self.localID = localID
        }
    }

    package struct Step: Sendable {
        package let place: Place
        package let account: AccountRecord
    }

    fileprivate var column: (key: SQL, isPresent: SQL) {
        switch self {
        case .newest: ("created_at", "created_at IS NOT NULL")
        case .email: ("\(bytewise: "email")", "email IS NOT NULL")
        case .phoneNumber: ("\(bytewise: "phone_number")", "phone_number IS NOT NULL")
        // This must be the text of the index, character by character.
        case .displayName: ("substr(lower(\(bytewise: "display_name")), 1, 64)", "display_name IS NOT NULL")
        }
    }

    fileprivate var isDescending: Bool { if case .newest = self { true } else { false } }

    /// The limits of the walk: the least key, and the first one that is too great.
    fileprivate var limits: (least: SQLValue?, end: SQLValue?) {
        switch self {
        case .newest(let since, let before): (since.map { .integer($0.milliseconds) }, before.map { .integer($0.milliseconds) })
        case .email(let prefix), .phoneNumber(let prefix): Self.limits(prefix)
        case .displayName(let prefix):
            Self.limits(String(String.UnicodeScalarView(prefix.asciiLowercased.unicodeScalars.prefix(Self.nameCharacters))))
        }
    }

    // The order of UTF-8 is that of the scalars, so that all texts with a prefix lie before the prefix with a greater last scalar.
    private static func limits(_ prefix: String) -> (SQLValue, SQLValue?) {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let greater = Unicode.Scalar(next) else { continue }
            scalars.append(greater)
            return (.text(prefix), .text(String(String.UnicodeScalarView(scalars))))
        }
        return (.text(prefix), nil)
    }
}

extension Transaction {
    /// The next accounts of a walk. The cost depends on their number alone, however far the walk has got.
    package func accounts(
        _ scope: Scope,
        along walk: AccountWalk,
        after place: AccountWalk.Place?,
        limit: Int
    ) throws -> [AccountWalk.Step] {
        let (key, limits) = (walk.column.key, walk.limits)
        var steps: [AccountWalk.Step] = []
        var (least, end): (SQL, SQL) = (
            limits.least.map { "AND \(sql: key) >= \($0)" } ?? "", limits.end.map { "AND \(sql: key) < \($0)" } ?? ""
        )
        if let place {
            // Two statements, because engines do not go along an index for "this key and a greater id, or a greater key".
            let isBehind: SQL =
                walk.isDescending
                ? "\(bytewise: "local_id") < \(place.localID)" : "\(bytewise: "local_id") > \(place.localID)"
            steps = try step(scope, walk, "AND \(sql: key) = \(place.key) AND \(sql: isBehind)", order: "", limit: limit)
            if walk.isDescending {
                end = "AND \(sql: key) < \(place.key)"
            } else {
                least = "AND \(sql: key) > \(place.key)"
            }
        }
        guard steps.count < limit else { return steps }
        let order: SQL = "\(sql: key) \(raw: walk.isDescending ? "DESC" : "ASC"), "
        return try steps + step(scope, walk, "\(sql: least) \(sql: end)", order: order, limit: limit - steps.count)
    }

    // `order` comes before the id. It is empty for one key: SQLite would sort all of its accounts.
    private func step(
        _ scope: Scope,
        _ walk: AccountWalk,
        _ range: SQL,
        order: SQL,
        limit: Int
    ) throws -> [AccountWalk.Step] {
        let (key, isPresent) = walk.column
        let direction = walk.isDescending ? "DESC" : "ASC"
        return try query(
            """
            SELECT \(raw: AccountRecord.table.names), \(sql: key) AS walk_key FROM accounts
            WHERE \(bytewise: "project_id") = \(scope.projectID) AND \(bytewise: "tenant_id") = \(scope.tenantKey)
                AND \(sql: isPresent) \(sql: range)
            ORDER BY \(sql: order)\(bytewise: "local_id") \(raw: direction) LIMIT \(limit)
            """
        ).map { row in
            let account = try AccountRecord(row: row)
            let key: SQLValue = walk.isDescending ? .integer(try row.integer("walk_key")) : .text(try row.text("walk_key"))
            return AccountWalk.Step(place: .init(key: key, localID: account.localID), account: account)
        }
    }
}
