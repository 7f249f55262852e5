/// A text of several statements, such as a migration file.
///
/// A statement ends with a `;` that is the last character of its line, apart from white space. Lines that begin with `--`, after
/// white space, are comments; they are dropped, as are empty lines. A statement therefore must not have a `;` at the end of an
/// inner line, neither in a quoted text nor in a trigger's body.
package struct SQLScript: Sendable {
    /// The statements in order, without their final `;`.
    package let statements: [SQL]

    /// Splits a text into its statements.
    ///
    /// - Throws: ``StorageError/migration(_:)`` when the last statement has no final `;`.
    package init(_ text: String) throws {
        var statements: [SQL] = []
        var lines: [Substring] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let content = line.trimmingSuffix(while: \.isWhitespace)
            let first = content.drop(while: \.isWhitespace)
            if first.isEmpty || first.hasPrefix("--") { continue }
            guard content.last == ";" else {
                lines.append(content)
                continue
            }
            lines.append(content.dropLast())
            statements.append(SQL(stringLiteral: lines.joined(separator: "\n")))
            lines = []
        }
        guard lines.isEmpty else { throw StorageError.migration("the last statement of the script does not end with ;") }
        self.statements = statements
    }
}

extension Substring {
    fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> Substring {
        var text = self
        while let last = text.last, predicate(last) { text.removeLast() }
        return text
    }
}

extension Transaction {
    /// Runs the statements of a script one after the other.
    package func execute(_ script: SQLScript) throws {
        for statement in script.statements { try execute(statement) }
    }
}
