package import Project

/// One row of a result: values by the names of their columns, spelled exactly as in the statement. Each has a name of its own.
package struct Row: Sendable {
    /// Shared by all rows of a result.
    let columns: [String]
    /// One for each column.
    let values: [SQLValue]

    package func value(_ column: String) throws -> SQLValue {
        guard let index = columns.firstIndex(of: column) else { throw StorageError.decoding(column: column) }
        return values[index]
    }

    /// The value of a column as one of a type.
    ///
    /// - Throws: ``StorageError/decoding(column:)`` when there is no such column, or its value is of another kind.
    package func decode<Value: ColumnValue>(_ column: String) throws -> Value {
        guard let value = Value(column: try value(column)) else { throw StorageError.decoding(column: column) }
        return value
    }

    /// The text of a column, see ``decode(_:)``; likewise below. Those that may be absent are `nil` for null.
    package func text(_ column: String) throws -> String { try decode(column) }
    package func textIfPresent(_ column: String) throws -> String? { try decode(column) }
    package func integer(_ column: String) throws -> Int64 { try decode(column) }
    package func integerIfPresent(_ column: String) throws -> Int64? { try decode(column) }
    package func bool(_ column: String) throws -> Bool { try decode(column) }
    package func boolIfPresent(_ column: String) throws -> Bool? { try decode(column) }
    package func bytes(_ column: String) throws -> [UInt8] { try decode(column) }
    package func bytesIfPresent(_ column: String) throws -> [UInt8]? { try decode(column) }
    package func timestamp(_ column: String) throws -> Timestamp { try decode(column) }
    package func timestampIfPresent(_ column: String) throws -> Timestamp? { try decode(column) }

    /// The scope of the columns `project_id` and `tenant_id`.
    func scope() throws -> Scope {
        let tenantKey = try text("tenant_id")
        return Scope(projectID: try text("project_id"), tenantID: tenantKey.isEmpty ? nil : tenantKey)
    }
}
