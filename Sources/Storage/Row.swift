import Synchronization

/// The names of a result's columns, in order.
package final class RowColumns: Sendable {
    let names: [String]
    // Rows are read from the first column to the last one, so the next name is nearly always the one after the last.
    private let next = Atomic(0)

    init(_ names: [String]) { self.names = names }

    /// The index of a column. Statements give each column a name of its own.
    fileprivate func index(of name: String) -> Int? {
        let guess = next.load(ordering: .relaxed)
        let index = guess < names.count && names[guess] == name ? guess : names.firstIndex(of: name)
        if let index { next.store(index + 1 == names.count ? 0 : index + 1, ordering: .relaxed) }
        return index
    }
}

/// One row of a result: values by the names of their columns, spelled exactly as in the statement.
package struct Row: Sendable {
    /// Shared by all rows of a result.
    private let columns: RowColumns
    private let values: [SQLValue]

    /// Makes a row with one value for each column.
    init(columns: RowColumns, values: [SQLValue]) {
        self.columns = columns
        self.values = values
    }

    /// The value of a column.
    package func value(_ column: String) throws -> SQLValue {
        guard let index = columns.index(of: column) else { throw StorageError.decoding(column: column) }
        return values[index]
    }

    /// The text of a column.
    package func text(_ column: String) throws -> String {
        guard case .text(let text) = try value(column) else { throw StorageError.decoding(column: column) }
        return text
    }

    /// See ``text(_:)``; `nil` for null.
    package func textIfPresent(_ column: String) throws -> String? {
        switch try value(column) {
        case .null: nil
        case .text(let text): text
        default: throw StorageError.decoding(column: column)
        }
    }

    /// The integer of a column.
    package func integer(_ column: String) throws -> Int64 {
        guard case .integer(let integer) = try value(column) else { throw StorageError.decoding(column: column) }
        return integer
    }

    /// See ``integer(_:)``; `nil` for null.
    package func integerIfPresent(_ column: String) throws -> Int64? {
        switch try value(column) {
        case .null: nil
        case .integer(let integer): integer
        default: throw StorageError.decoding(column: column)
        }
    }

    /// The boolean of a column that holds 0 or 1.
    package func bool(_ column: String) throws -> Bool {
        guard let bool = try boolIfPresent(column) else { throw StorageError.decoding(column: column) }
        return bool
    }

    /// See ``bool(_:)``; `nil` for null.
    package func boolIfPresent(_ column: String) throws -> Bool? {
        switch try value(column) {
        case .null: nil
        case .integer(0): false
        case .integer(1): true
        default: throw StorageError.decoding(column: column)
        }
    }

    /// The bytes of a column.
    package func bytes(_ column: String) throws -> [UInt8] {
        guard case .bytes(let bytes) = try value(column) else { throw StorageError.decoding(column: column) }
        return bytes
    }

    /// See ``bytes(_:)``; `nil` for null.
    package func bytesIfPresent(_ column: String) throws -> [UInt8]? {
        switch try value(column) {
        case .null: nil
        case .bytes(let bytes): bytes
        default: throw StorageError.decoding(column: column)
        }
    }
}
