import Foundation
package import Project

/// A value bound to a statement or read from a row. Its types are those of the dialect that all engines share.
package enum SQLValue: Sendable, Hashable {
    case null
    /// A TEXT of any characters except U+0000, which PostgreSQL cannot store.
    case text(String)
    /// A BIGINT.
    case integer(Int64)
    /// A BYTEA.
    case bytes([UInt8])
}

/// The text of a statement together with its binds.
///
/// `SQL("SELECT email FROM accounts WHERE local_id = \(localID)")` binds `localID`. Only `\(raw: …)` becomes part of the text,
/// and it must never contain input from outside. A text contains no placeholders of its own.
package struct SQL: Sendable, ExpressibleByStringInterpolation {
    /// The text with `?` for each bind, as SQLite reads it.
    package let text: String
    /// The binds in the order of their placeholders.
    package let binds: [SQLValue]

    /// A statement without binds.
    package init(stringLiteral value: String) {
        text = value
        binds = []
    }

    /// A statement with the binds of its interpolations.
    package init(stringInterpolation interpolation: StringInterpolation) {
        text = interpolation.text
        binds = interpolation.binds
    }

    /// A statement whose text is made.
    init(text: String, binds: [SQLValue]) {
        self.text = text
        self.binds = binds
    }

    // All engines can sort by bytes, but spell it differently.
    fileprivate static let sqliteByteOrder = "COLLATE BINARY"
    private static let postgreSQLByteOrder = "COLLATE \"C\""

    /// The text with `$1`, `$2`… for the binds, as PostgreSQL reads it. A `?` inside quotes is not replaced.
    package func numberedText() -> String {
        var numbered: [UInt8] = []
        numbered.reserveCapacity(text.utf8.count + binds.count * 2)
        var openQuote: UInt8?
        var number = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "?") where openQuote == nil:
                number += 1
                numbered.append(UInt8(ascii: "$"))
                numbered.append(contentsOf: String(number).utf8)
                continue
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                // A doubled quote closes and opens again, which has the same effect.
                if openQuote == nil { openQuote = byte } else if openQuote == byte { openQuote = nil }
            default: break
            }
            numbered.append(byte)
        }
        return String(decoding: numbered, as: UTF8.self)
            .replacingOccurrences(of: Self.sqliteByteOrder, with: Self.postgreSQLByteOrder)
    }

    /// Collects a statement's text and binds.
    package struct StringInterpolation: StringInterpolationProtocol {
        var text = ""
        var binds: [SQLValue] = []

        /// Reserves space for a statement.
        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount)
            binds.reserveCapacity(interpolationCount)
        }

        /// Appends a piece of the statement's own text.
        package mutating func appendLiteral(_ literal: String) { text += literal }

        /// Binds a value, or null.
        package mutating func appendInterpolation(_ value: (some ColumnValue)?) {
            text += "?"
            binds.append(value?.columnValue ?? .null)
        }

        /// Inserts the condition that a row belongs to a scope.
        package mutating func appendInterpolation(_ scope: Scope) {
            text += "project_id = ? AND tenant_id = ?"
            binds += scope.values
        }

        /// Inserts the condition that a row belongs to a scope in the form that no index has.
        package mutating func appendInterpolation(unindexed scope: Scope) {
            text += "project_id || '' = ? AND tenant_id || '' = ?"
            binds += scope.values
        }

        /// Inserts trusted text into the statement, such as a list of columns.
        package mutating func appendInterpolation(raw text: String) { self.text += text }

        /// Inserts the name of a column so that it compares and sorts by its bytes, independently of the database's collation.
        package mutating func appendInterpolation(bytewise column: String) { text += "\(column) \(SQL.sqliteByteOrder)" }

        /// Inserts the name of a text column in a form that no index has. A row that another column finds is only checked by it: an engine
        /// without statistics may otherwise take an index that begins with it, and read the rows of a whole project.
        package mutating func appendInterpolation(unindexed column: String) { text += "\(column) || ''" }

        /// Inserts another statement's text together with its binds.
        package mutating func appendInterpolation(sql: SQL) {
            text += sql.text
            binds += sql.binds
        }
    }
}
