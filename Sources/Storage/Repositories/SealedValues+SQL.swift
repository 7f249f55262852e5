package import Project

/// A column whose values are sealed under the master key, or hold such values.
package struct SealedColumn: Sendable, Hashable {
    package let table: String
    package let column: String
    /// Whether the rows belong to a project or tenant, for which their values are sealed.
    let isScoped: Bool

    private init(_ table: String, _ column: String, isScoped: Bool = true) {
        self.table = table
        self.column = column
        self.isScoped = isScoped
    }

    package static let signingKey = SealedColumn("signing_keys", "private_key", isScoped: false)
    /// JSON documents, whose secrets are sealed one by one.
    package static let resource = SealedColumn("resources", "document")
    /// JSON lists, whose TOTP secrets are sealed one by one.
    package static let secondFactors = SealedColumn("accounts", "second_factors")
    package static let email = SealedColumn("email_outbox", "payload", isScoped: false)
    package static let textMessage = SealedColumn("sms_outbox", "payload", isScoped: false)
    package static let flowSecrets = SealedColumn("authorization_flows", "secrets")
    package static let flowAnswer = SealedColumn("authorization_flows", "answer")
    package static let flowProof = SealedColumn("answered_flows", "proof")
    package static let shownOOBCode = SealedColumn("oob_codes", "sealed_code")
    package static let operatorTOTP = SealedColumn("operators", "sealed_totp", isScoped: false)
    package static let shownSMSCode = SealedColumn("sms_codes", "sealed_code")

    /// The columns of the primary key.
    fileprivate var key: [String] { StoreTable.all.first { $0.name == table }?.key ?? [] }
}

/// A value of a ``SealedColumn``.
package struct SealedRow: Sendable {
    package let key: [SQLValue]
    /// The scope of the row; `nil` for rows of the whole server.
    package let scope: Scope?
    package let text: String
}

extension Transaction {
    /// A page of the values of a column in the order of the primary key. Nulls and empty texts are left out.
    package func sealedRows(_ column: SealedColumn, after key: [SQLValue]?, limit: Int) throws -> [SealedRow] {
        let names = column.key
        let scope = column.isScoped ? ["project_id", "tenant_id"].filter { !names.contains($0) } : []
        var text = SQL.StringInterpolation(literalCapacity: 256, interpolationCount: names.count)
        text.appendLiteral("SELECT \((names + scope + [column.column]).joined(separator: ", ")) FROM \(column.table)")
        text.appendLiteral(" WHERE \(column.column) <> ''")
        if let key {
            text.appendLiteral(" AND (\(names.joined(separator: ", "))) > (")
            text.appendList(key)
            text.appendLiteral(")")
        }
        text.appendLiteral(" ORDER BY \(names.joined(separator: ", ")) LIMIT \(limit)")
        return try query(SQL(stringInterpolation: text)).map { row in
            let scope = column.isScoped ? try row.scope() : nil
            return SealedRow(key: try names.map(row.value), scope: scope, text: try row.text(column.column))
        }
    }

    /// Replaces a value, if nothing else has changed it in the meantime.
    package func replace(_ row: SealedRow, of column: SealedColumn, by text: String) throws -> Bool {
        var statement = SQL.StringInterpolation(literalCapacity: 128, interpolationCount: row.key.count + 2)
        statement.appendLiteral("UPDATE \(column.table) SET \(column.column) = ")
        statement.appendInterpolation(SQLValue.text(text))
        statement.appendLiteral(" WHERE \(column.column) = ")
        statement.appendInterpolation(SQLValue.text(row.text))
        for (name, value) in zip(column.key, row.key) {
            statement.appendLiteral(" AND \(name) = ")
            statement.appendInterpolation(value)
        }
        return try execute(SQL(stringInterpolation: statement)) > 0
    }
}
