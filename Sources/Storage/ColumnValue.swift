package import Project

/// A value as a column has it.
package protocol ColumnValue {
    /// `nil` when the column has a value of another kind.
    init?(column: SQLValue)
    var columnValue: SQLValue { get }
}

extension SQLValue: ColumnValue {
    package init?(column: SQLValue) { self = column }
    package var columnValue: SQLValue { self }
}

extension String: ColumnValue {
    package init?(column: SQLValue) { if case .text(let text) = column { self = text } else { return nil } }
    package var columnValue: SQLValue { .text(self) }
}

extension Int64: ColumnValue {
    package init?(column: SQLValue) { if case .integer(let integer) = column { self = integer } else { return nil } }
    package var columnValue: SQLValue { .integer(self) }
}

extension Int: ColumnValue {
    package init?(column: SQLValue) { if case .integer(let integer) = column { self.init(integer) } else { return nil } }
    package var columnValue: SQLValue { .integer(Int64(self)) }
}

/// 0 or 1.
extension Bool: ColumnValue {
    package init?(column: SQLValue) {
        switch column {
        case .integer(0): self = false
        case .integer(1): self = true
        default: return nil
        }
    }

    package var columnValue: SQLValue { .integer(self ? 1 : 0) }
}

extension [UInt8]: ColumnValue {
    package init?(column: SQLValue) { if case .bytes(let bytes) = column { self = bytes } else { return nil } }
    package var columnValue: SQLValue { .bytes(self) }
}

/// Milliseconds since the epoch.
extension Timestamp: ColumnValue {
    package init?(column: SQLValue) {
        if case .integer(let integer) = column { self.init(milliseconds: integer) } else { return nil }
    }

    package var columnValue: SQLValue { .integer(milliseconds) }
}

/// A document's text.
extension JSONValue: ColumnValue {
    package init?(column: SQLValue) {
        guard case .text(let text) = column, let value = try? JSONValue.parse(text.utf8) else { return nil }
        self = value
    }

    package var columnValue: SQLValue { .text(text) }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    package init?(column: SQLValue) {
        if case .null = column {
            self = .none
        } else if let value = Wrapped(column: column) {
            self = .some(value)
        } else {
            return nil
        }
    }

    package var columnValue: SQLValue { self?.columnValue ?? .null }
}

extension ColumnValue where Self: RawRepresentable<String> {
    package init?(column: SQLValue) { if case .text(let word) = column { self.init(rawValue: word) } else { return nil } }
    package var columnValue: SQLValue { .text(rawValue) }
}

extension Scope {
    /// The values of `project_id` and `tenant_id`.
    var values: [SQLValue] { [.text(projectID), .text(tenantKey)] }

    /// The column `project_id` of a record that has a scope.
    var projectColumn: String {
        get { projectID }
        set { self = Scope(projectID: newValue, tenantID: tenantID) }
    }

    /// The column `tenant_id` of a record that has a scope.
    var tenantColumn: String {
        get { tenantKey }
        set { self = Scope(projectID: projectID, tenantID: newValue.isEmpty ? nil : newValue) }
    }

    /// A scope to read a row into.
    static var blank: Scope { Scope(projectID: "") }
}

extension Timestamp {
    /// A time to read a row into.
    static var blank: Timestamp { Timestamp(milliseconds: 0) }
}
