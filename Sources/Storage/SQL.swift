/// A value bound to a statement or read from a row: the types of the dialect that all engines share.
package enum SQLValue: Sendable, Hashable {
    case null
    case text(String)
    case integer(Int64)
    case bytes([UInt8])
}

/// An SQL text that carries its binds.
///
/// `SQL("SELECT email FROM accounts WHERE local_id = \(localID)")` binds `localID`; only `\(raw: …)` becomes part of the text,
/// and nothing from outside is ever written there.
package struct SQL: Sendable, ExpressibleByStringInterpolation {
    /// The text with `?` for each bind, as SQLite reads it.
    package let text: String
    /// The binds in the order of their placeholders.
    package let binds: [SQLValue]

    package init(stringLiteral value: String) {
        text = value
        binds = []
    }

    package init(stringInterpolation interpolation: StringInterpolation) {
        text = interpolation.text
        binds = interpolation.binds
    }

    /// The text with `$1`, `$2`… for the binds, as PostgreSQL reads it. No text of ours has a `?` of its own.
    package var numberedText: String {
        var numbered = ""
        var number = 0
        for character in text {
            if character == "?" {
                number += 1
                numbered += "$\(number)"
            } else {
                numbered.append(character)
            }
        }
        return numbered
    }

    /// Collects text and binds.
    package struct StringInterpolation: StringInterpolationProtocol {
        var text = ""
        var binds: [SQLValue] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 2)
            binds.reserveCapacity(interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) { text += literal }

        /// Binds a value.
        package mutating func appendInterpolation(_ value: SQLValue) {
            text += "?"
            binds.append(value)
        }

        /// Binds a text.
        package mutating func appendInterpolation(_ value: String?) { appendInterpolation(value.map(SQLValue.text) ?? .null) }

        /// Binds an integer.
        package mutating func appendInterpolation(_ value: Int64?) { appendInterpolation(value.map(SQLValue.integer) ?? .null) }

        /// Binds an integer.
        package mutating func appendInterpolation(_ value: Int) { appendInterpolation(.integer(Int64(value))) }

        /// Binds a boolean as 0 or 1.
        package mutating func appendInterpolation(_ value: Bool?) {
            appendInterpolation(value.map { .integer($0 ? 1 : 0) } ?? .null)
        }

        /// Binds bytes.
        package mutating func appendInterpolation(_ value: [UInt8]?) { appendInterpolation(value.map(SQLValue.bytes) ?? .null) }

        /// Writes text of our own into the statement, such as a list of columns.
        package mutating func appendInterpolation(raw text: String) { self.text += text }
    }
}
