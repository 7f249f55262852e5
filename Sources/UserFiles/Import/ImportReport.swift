import Foundation
import Project

/// Reports the first rejected rows, one line each, and values that were not kept, one line for all rows with the same note. With a
/// file, every single rejection and note is written to it.
package struct ImportReport {
    private let file: FileHandle?
    /// How many rows have a note, by its text.
    package private(set) var notes: [String: Int] = [:]

    /// How many rejected rows were not shown, because there are too many of them.
    package private(set) var unshown = 0
    /// The first rejected rows, for a report that is shown elsewhere than on standard error.
    package private(set) var rejected: [String] = []
    private let isKept: Bool
    private var shown = 0

    private static let maximumShown = 20
    private static let maximumKept = 100
    private static let maximumNotes = 200
    private static let others = "other things are not kept"

    /// Begins a report.
    ///
    /// - Parameter path: The file to write, one JSON object per line; `nil` for standard error, which gets the first rejected
    ///   rows only.
    /// - Throws: ``PrivateFile/FileError`` when the file already exists or cannot be created.
    package init(path: String?) throws {
        file = try path.map { try PrivateFile.create($0) }
        isKept = false
    }

    /// Begins a report that keeps the first rejected rows in ``rejected``.
    package init() {
        file = nil
        isKept = true
    }

    /// Reports a row that was not imported.
    mutating func reject(row: Int, line: Int, id: String?, reason: String) throws {
        if let file {
            try write(file, row, line, id, "rejected", reason)
        } else if shown == (isKept ? Self.maximumKept : Self.maximumShown) {
            unshown += 1
        } else {
            shown += 1
            let name = id.map { " (\(TerminalText.printable(String($0.prefix(128)))))" } ?? ""
            let text = "row \(row), line \(line)\(name): \(TerminalText.printable(reason))"
            if isKept { rejected.append(text) } else { StandardStream.error.write(text + "\n") }
        }
    }

    /// Reports a value of a row that is not kept.
    mutating func note(row: Int, line: Int, id: String, _ text: String) throws {
        let key = notes[text] != nil || notes.count < Self.maximumNotes ? text : Self.others
        notes[key, default: 0] += 1
        if let file { try write(file, row, line, id, "note", text) }
    }

    private func write(_ file: FileHandle, _ row: Int, _ line: Int, _ id: String?, _ kind: String, _ text: String) throws {
        var entry: JSONValue = [
            "row": .integer(Int64(row)), "line": .integer(Int64(line)), "kind": .string(kind), "reason": .string(text),
        ]
        entry["localId"] = id.map(JSONValue.string)
        try file.write(contentsOf: entry.serialized() + Data("\n".utf8))
    }
}
