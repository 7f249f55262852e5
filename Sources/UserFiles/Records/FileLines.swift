import Project

/// The lines of a file, with a view of what follows each, for rows that may go on behind the end of a line.
struct FileLines: Sendable {
    private var bytes: FileBytes
    // What was read, from `start` on not yet passed.
    private var ahead: [UInt8] = []
    private var start = 0
    private var isRead = false
    /// The number of the line that comes next, counted from 1.
    private(set) var line: Int
    /// How many bytes were passed.
    private(set) var offset: UInt64

    private static let lineFeed = UInt8(ascii: "\n")

    init(_ bytes: FileBytes) {
        self.bytes = bytes
        line = bytes.line
        offset = bytes.offset
    }

    /// How many bytes the next line has without its end; one more than `limit` when there are more of them.
    mutating func length(atMost limit: Int) throws -> Int? {
        var place = start
        while place - start <= limit {
            if place == ahead.count, try !readMore() { break }
            if ahead[place] == Self.lineFeed { return place - start }
            place += 1
        }
        return place == start ? nil : place - start
    }

    mutating func view(_ count: Int) throws -> (bytes: [UInt8], isEnd: Bool) {
        while ahead.count - start < count, try readMore() {}
        let end = min(start + count, ahead.count)
        return (Array(ahead[start..<end]), isRead && end == ahead.count)
    }

    /// Passes over bytes that were looked at.
    mutating func pass(_ count: Int) {
        let end = min(start + count, ahead.count)
        for place in start..<end where ahead[place] == Self.lineFeed { line += 1 }
        offset += UInt64(end - start)
        start = end
        if start > 1 << 16 || start == ahead.count {
            ahead.removeFirst(start)
            start = 0
        }
    }

    /// Passes over the rest of a line, however long it is, without keeping it.
    mutating func passLine() throws {
        while true {
            if start == ahead.count, try !readMore() { return }
            let byte = ahead[start]
            pass(1)
            if byte == Self.lineFeed { return }
        }
    }

    /// Tells that a record ends here.
    mutating func endRecord() { bytes.endRecord() }

    private mutating func readMore() throws -> Bool {
        guard !isRead else { return false }
        let before = ahead.count
        for _ in 0..<4096 {
            guard let byte = try bytes.next() else {
                isRead = true
                break
            }
            ahead.append(byte)
        }
        return ahead.count > before
    }
}
