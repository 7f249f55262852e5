import Project

/// The records of a CSV file (RFC 4180), with LF or CRLF line ends.
struct CSVRecords: FileRecords {
    /// How cells become a record.
    enum Shape: Sendable {
        /// Cells by their positions.
        case cells
        /// Cells by the names in the first line. Empty cells are absent.
        case named
    }

    private var bytes: FileBytes
    private let shape: Shape
    /// The column in which a quote after a backslash is not doubled (`Docs/Contract/admin-accounts.md` §17.2).
    private let backslashColumn: Int?
    private var names: [String]?

    private static let maximumCells = 500

    /// - Parameters:
    ///   - bytes: The file.
    ///   - shape: How cells become a record.
    ///   - backslashColumn: The column in which a quote after a backslash is not doubled.
    init(_ bytes: FileBytes, shape: Shape, backslashColumn: Int? = nil) {
        self.bytes = bytes
        self.shape = shape
        self.backslashColumn = backslashColumn
    }

    var offset: UInt64 { bytes.offset }

    mutating func next() throws -> FileRecord? {
        if shape == .named, names == nil {
            guard let header = try read() else { return nil }
            guard case .cells(let cells) = header.content else {
                throw MalformedFile(line: 1, reason: "the header is unreadable")
            }
            names = cells.map { $0.filter { $0 != " " } }
        }
        while let record = try read() {
            // Empty lines are skipped.
            if case .cells([""]) = record.content { continue }
            bytes.endRecord()
            guard case .cells(let cells) = record.content else { return record }
            guard let names else { return record }
            guard cells.count == names.count else {
                let reason = "there are \(cells.count) cells, and \(names.count) in the header"
                return FileRecord(line: record.line, content: .unreadable(reason))
            }
            let members = zip(names, cells).filter { !$0.1.isEmpty }.map { ($0, JSONValue.string($1)) }
            return FileRecord(line: record.line, content: .object(JSONObject(naming: members)))
        }
        return nil
    }

    private mutating func read() throws -> FileRecord? {
        guard try bytes.peek() != nil else { return nil }
        let line = bytes.line
        var cells: [[UInt8]] = [[]]
        var size = 0
        // Whether the cell has nothing but spaces so far. Looking at the cell again at each quote would take its length squared.
        var isBlank = true
        var (isQuoted, isEnd) = (false, false)
        while !isEnd {
            guard let byte = try bytes.next() else {
                if isQuoted { throw MalformedFile(line: line, reason: "the file ends in the middle of a quoted cell") }
                break
            }
            size += 1
            let keeps = size <= FileRecord.maximumBytes && cells.count <= Self.maximumCells
            switch byte {
            case UInt8(ascii: "\""):
                let column = cells.count - 1
                if isQuoted {
                    let (quotes, ends) = try run(behind: cells[column].last, isSpecial: column == backslashColumn)
                    if keeps { cells[column] += repeatElement(byte, count: quotes) }
                    size += quotes
                    if ends { isQuoted = false }
                } else if isBlank {
                    cells[column] = []
                    (isQuoted, isBlank) = (true, false)
                } else if keeps {
                    cells[column].append(byte)
                }
            case UInt8(ascii: ",") where !isQuoted:
                isBlank = true
                if keeps { cells.append([]) }
            case UInt8(ascii: "\n") where !isQuoted: isEnd = true
            case UInt8(ascii: "\r") where !isQuoted:
                if try bytes.peek() == UInt8(ascii: "\n") { _ = try bytes.next() }
                isEnd = true
            default:
                isBlank = isBlank && byte == 0x20
                if keeps { cells[cells.count - 1].append(byte) }
            }
        }
        if size > FileRecord.maximumBytes || cells.count > Self.maximumCells {
            return FileRecord(line: line, content: .unreadable("the record is larger than \(FileRecord.maximumBytes) bytes"))
        }
        let texts = cells.compactMap { String(validating: $0, as: UTF8.self) }
        guard texts.count == cells.count else { return FileRecord(line: line, content: .unreadable("the record is not UTF-8")) }
        guard texts.allSatisfy(StreamSafety.holds) else {
            let reason = "a cell has more than \(StreamSafety.maximumMarks) combining marks in a row"
            return FileRecord(line: line, content: .unreadable(reason))
        }
        return FileRecord(line: line, content: .cells(texts))
    }

    // A run of quotes in a quoted cell, the first of which has been read. Returns how many quotes it stands for, and whether the
    // cell ends.
    private mutating func run(behind last: UInt8?, isSpecial: Bool) throws -> (quotes: Int, ends: Bool) {
        var count = 1
        while try bytes.peek() == UInt8(ascii: "\"") {
            _ = try bytes.next()
            count += 1
        }
        // After a backslash, Firebase doubles all quotes of a run but the first. An odd number there shows that the file is
        // Firebase's.
        if isSpecial, last == UInt8(ascii: "\\"), !count.isMultiple(of: 2) { return ((count + 1) / 2, false) }
        return (count / 2, !count.isMultiple(of: 2))
    }
}
