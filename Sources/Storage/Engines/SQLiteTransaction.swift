import Foundation
import GRDB

/// The seam's transaction on a GRDB connection.
struct SQLiteTransaction: Transaction {
    let connection: GRDB.Database

    func query(_ sql: SQL) throws -> [Row] {
        try SQLiteError.translating {
            let statement = try prepared(sql)
            let columns = statement.columnNames
            let cursor = try GRDB.Row.fetchCursor(statement)
            var rows: [Row] = []
            while let row = try cursor.next() {
                rows.append(Row(columns: columns, values: try columns.indices.map { try value(row[$0]) }))
            }
            return rows
        }
    }

    @discardableResult
    func execute(_ sql: SQL) throws -> Int {
        try SQLiteError.translating {
            try prepared(sql).execute()
            return connection.changesCount
        }
    }

    private func prepared(_ sql: SQL) throws -> Statement {
        let statement = try connection.cachedStatement(sql: sql.text)
        // The binds were collected with the text, so their number fits.
        statement.setUncheckedArguments(StatementArguments(sql.binds.map(databaseValue)))
        return statement
    }

    private func databaseValue(_ value: SQLValue) -> DatabaseValue {
        switch value {
        case .null: .null
        case .text(let text): text.databaseValue
        case .integer(let integer): integer.databaseValue
        case .bytes(let bytes): Data(bytes).databaseValue
        }
    }

    private func value(_ value: DatabaseValue) throws -> SQLValue {
        switch value.storage {
        case .null: .null
        case .string(let text): .text(text)
        case .int64(let integer): .integer(integer)
        case .blob(let data): .bytes(Array(data))
        case .double: throw StorageError.other("a column holds a floating-point number")
        }
    }
}
