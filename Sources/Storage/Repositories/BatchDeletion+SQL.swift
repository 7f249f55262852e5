extension Transaction {
    /// Deletes the rows that come first, in one small batch. Each is found by its primary key: where the look-up is a part of the deletion,
    /// PostgreSQL may read the whole table for it.
    ///
    /// - Parameter column: What orders them, with an index.
    func deleteFirst(_ limit: Int, of table: String, where condition: SQL, orderedBy column: String) throws -> Int {
        let key = StoreTable.all.first { $0.name == table }?.key ?? []
        guard let last = key.last else { return 0 }
        let rows = try query(
            """
            SELECT \(raw: key.joined(separator: ", ")) FROM \(raw: table) WHERE \(sql: condition)
            ORDER BY \(raw: column) LIMIT \(limit)
            """
        )
        var deleted = 0
        // Rows are found together where their keys differ in the last column only.
        for (common, keys) in Dictionary(grouping: try rows.map { try key.map($0.value) }, by: { Array($0.dropLast()) }) {
            var rest = keys.compactMap(\.last)[...]
            while !rest.isEmpty {
                var statement = SQL.StringInterpolation(literalCapacity: 512, interpolationCount: key.count + SQL.listLength)
                statement.appendLiteral("DELETE FROM \(table) WHERE ")
                for (name, value) in zip(key, common) {
                    statement.appendLiteral("\(name) = ")
                    statement.appendInterpolation(value)
                    statement.appendLiteral(" AND ")
                }
                statement.appendLiteral("\(last) IN (")
                statement.appendList(takingFrom: &rest)
                statement.appendLiteral(")")
                deleted += try execute(SQL(stringInterpolation: statement))
            }
        }
        return deleted
    }
}

extension SQL {
    /// How many values a list has. It is the same for all, so that engines prepare one statement only.
    static let listLength = 100
}

extension SQL.StringInterpolation {
    /// Appends the first values of a list, the last one as often as it takes to fill the list.
    ///
    /// - Parameter values: The values, at least one; without those that were appended afterwards.
    mutating func appendList(takingFrom values: inout ArraySlice<SQLValue>) {
        let taken = values.prefix(SQL.listLength)
        values = values.dropFirst(SQL.listLength)
        appendList((0..<SQL.listLength).map { taken[min(taken.startIndex + $0, taken.endIndex - 1)] })
    }
}
