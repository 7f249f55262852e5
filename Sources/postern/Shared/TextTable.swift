import Project

/// A table for a terminal. No cell can begin a line or control the terminal (threat case OPS-05).
struct TextTable {
    private var rows: [[String]]

    /// - Parameter header: The names of the columns.
    init(_ header: [String]) { rows = [header] }

    /// Adds a row. Missing values are shown as a hyphen.
    mutating func add(_ cells: [String?]) { rows.append(cells.map { $0.map(TerminalText.printable) ?? "-" }) }

    /// The table's lines. All cells of a column have the same width.
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
}
