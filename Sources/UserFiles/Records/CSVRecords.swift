import Project

/// The records of a CSV file whose first line names its columns (RFC 4180), with LF or CRLF line ends. Empty cells are absent.
struct CSVRecords: FileRecords {
    private var bytes: FileBytes
    private var names: [String]?

    private static let maximumCells = 500

    init(_ bytes: FileBytes) { self.bytes = bytes }

    var offset: UInt64 { bytes.offset }

    mutating func next() throws -> FileRecord? {
        if names == nil {
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
            guard case .cells(let cells) = record.content, let names else { return record }
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
                    let (quotes, ends) = try run()
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
        return FileRecord(line: line, content: FileRecord.content(of: cells))
    }

    // A run of quotes in a quoted cell, the first of which has been read. Returns how many quotes it stands for, and whether the
    // cell ends.
    private mutating func run() throws -> (quotes: Int, ends: Bool) {
        var count = 1
        while try bytes.peek() == UInt8(ascii: "\"") {
            _ = try bytes.next()
            count += 1
        }
        return (count / 2, !count.isMultiple(of: 2))
    }
}
