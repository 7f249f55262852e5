import Project

/// A table for a terminal. No cell can begin a line or control the terminal (threat case OPS-05).
struct TextTable {
    private var rows: [[String]]

    /// The column whose words have colours.
    private static let stateColumn = "STATE"
    private static let looks: [String: TerminalStyle.Look] = [
        "enabled": .good, "live": .good, "disabled": .bad, "revoked": .bad, "expired": .doubtful,
    ]

    init(_ header: [String]) { rows = [header] }

    /// Adds a row. Missing values are shown as a hyphen.
    mutating func add(_ cells: [String?]) { rows.append(cells.map { $0.map(TerminalText.printable) ?? "-" }) }

    /// The table's lines. All cells of a column have the same width.
    func lines(_ style: TerminalStyle = .plain) -> [String] {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.indices.map { index in
            let row = rows[index]
            let cells = row.indices.map { column in
                let padding = column == row.count - 1 ? "" : String(repeating: " ", count: widths[column] - row[column].count)
                return style.show(row[column], look(ofRow: index, column: column)) + padding
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// Prints the table, coloured where a terminal takes it.
    func show() {
        let style = TerminalStyle.output
        for line in lines(style) { print(line) }
    }

    private func look(ofRow row: Int, column: Int) -> TerminalStyle.Look? {
        if row == 0 { return .bold }
        return rows[0][column] == Self.stateColumn ? Self.looks[rows[row][column]] : nil
    }
}
