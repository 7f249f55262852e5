import Project

/// The rows of `firebase auth:export` and `postern users export` as CSV. A row counts only if there is exactly one way to read it; where there
/// is none, or several, it is rejected, and reading goes on with the next line.
struct FirebaseCSVRecords: FileRecords {
    private var lines: FileLines

    /// How far a row may go on behind its first line, in bytes.
    private static let mostBehindLine = 8192
    private static let longestID = 128

    init(_ bytes: FileBytes) { lines = FileLines(bytes) }

    var offset: UInt64 { lines.offset }

    mutating func next() throws -> FileRecord? {
        while let length = try lines.length(atMost: FileRecord.maximumBytes) {
            if try lines.view(length).bytes.allSatisfy({ $0 == UInt8(ascii: "\r") }) {
                // Empty lines are skipped.
                lines.pass(length + 1)
                continue
            }
            let line = lines.line
            let content = try read(length)
            lines.endRecord()
            return FileRecord(line: line, content: content)
        }
        return nil
    }

    private mutating func read(_ length: Int) throws -> FileRecord.Content {
        guard length <= FileRecord.maximumBytes else {
            try lines.passLine()
            return .unreadable("the record is larger than \(FileRecord.maximumBytes) bytes")
        }
        // Only what has quotes goes on behind the end of its line.
        let line = try lines.view(length + 1)
        let view = try line.bytes.contains(UInt8(ascii: "\"")) ? lines.view(length + 1 + Self.mostBehindLine) : line
        var row = FirebaseCSVRow(view.bytes, firstLine: length, isEnd: view.isEnd)
        switch row.read() {
        case .one(let reading):
            lines.pass(reading.end)
            return FileRecord.content(of: reading.cells.map(row.bytes))
        case .several:
            lines.pass(length + 1)
            return .unreadable("\(name(line.bytes)) can be read in several ways")
        case .none(let reason):
            lines.pass(length + 1)
            return .unreadable("\(name(line.bytes)) cannot be read: \(reason)")
        }
    }

    private func name(_ line: [UInt8]) -> String {
        let id = line.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\n") }.prefix(Self.longestID)
        return "the row of \(TerminalText.printable(String(decoding: id, as: UTF8.self)))"
    }
}
