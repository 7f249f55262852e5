/// A table for people at a terminal. Nothing in a cell can begin a line or steer the terminal (threat case OPS-05).
struct TextTable {
    private var rows: [[String]]

    /// - Parameter header: The names of the columns.
    init(_ header: [String]) { rows = [header] }

    /// Adds a row; absent values show as a hyphen.
    mutating func add(_ cells: [String?]) { rows.append(cells.map { $0.map(Self.printable) ?? "-" }) }

    /// The table's lines, columns padded to one width.
    var lines: [String] {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// Prints the table.
    func show() { for line in lines { print(line) } }

    /// A text without what steers a terminal: controls, and marks that turn the direction of writing.
    static func printable(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: shown += "\\u{\(String(scalar.value, radix: 16))}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }
}
