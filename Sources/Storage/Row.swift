/// One row of a result: values by the names of their columns.
package struct Row: Sendable {
    /// Shared by all rows of a result.
    private let columns: [String]
    private let values: [SQLValue]

    package init(columns: [String], values: [SQLValue]) {
        self.columns = columns
        self.values = values
    }

    /// The value of a column.
    ///
    /// - Throws: ``StorageError/decoding(column:)`` when there is no such column.
    package func value(_ column: String) throws -> SQLValue {
        guard let index = columns.firstIndex(of: column) else { throw StorageError.decoding(column: column) }
        return values[index]
    }

    /// The text of a column.
    ///
    /// - Throws: ``StorageError/decoding(column:)`` when the column is missing, null or no text.
    package func text(_ column: String) throws -> String { try unwrap(try textIfPresent(column), column) }

    /// See ``text(_:)``; `nil` for null.
    package func textIfPresent(_ column: String) throws -> String? {
        switch try value(column) {
        case .null: nil
        case .text(let text): text
        default: throw StorageError.decoding(column: column)
        }
    }

    /// The integer of a column.
    ///
    /// - Throws: ``StorageError/decoding(column:)`` when the column is missing, null or no integer.
    package func integer(_ column: String) throws -> Int64 { try unwrap(try integerIfPresent(column), column) }

    /// See ``integer(_:)``; `nil` for null.
    package func integerIfPresent(_ column: String) throws -> Int64? {
        switch try value(column) {
        case .null: nil
        case .integer(let integer): integer
        default: throw StorageError.decoding(column: column)
        }
    }

    /// The boolean of a column that holds 0 or 1.
    ///
    /// - Throws: ``StorageError/decoding(column:)`` for anything else.
    package func bool(_ column: String) throws -> Bool { try unwrap(try boolIfPresent(column), column) }

    /// See ``bool(_:)``; `nil` for null.
    package func boolIfPresent(_ column: String) throws -> Bool? {
        switch try integerIfPresent(column) {
        case nil: nil
        case 0: false
        case 1: true
        default: throw StorageError.decoding(column: column)
        }
    }

    /// The bytes of a column.
    ///
    /// - Throws: ``StorageError/decoding(column:)`` when the column is missing, null or no bytes.
    package func bytes(_ column: String) throws -> [UInt8] {
        guard case .bytes(let bytes) = try value(column) else { throw StorageError.decoding(column: column) }
        return bytes
    }

    private func unwrap<Value>(_ value: Value?, _ column: String) throws -> Value {
        guard let value else { throw StorageError.decoding(column: column) }
        return value
    }
}
