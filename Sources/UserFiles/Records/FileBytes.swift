import Foundation
import Project

/// A file that is open for reading, by as many readers as there are.
struct FileSource: Sendable {
    /// Its name in messages.
    let name: String
    let handle: FileHandle

    init(path: String) throws {
        guard let handle = FileHandle(forReadingAtPath: path) else { throw FileBytes.Unreadable(path: path) }
        self.init(name: path, handle: handle)
    }

    init(name: String, handle: FileHandle) {
        self.name = name
        self.handle = handle
    }

    /// Its size in bytes; 0 where that is not known.
    var size: UInt64 {
        var facts = stat()
        return fstat(handle.fileDescriptor, &facts) == 0 ? UInt64(max(facts.st_size, 0)) : 0
    }

    /// Whether its bytes can be read from any place.
    var canBeReadAgain: Bool { lseek(handle.fileDescriptor, 0, SEEK_CUR) >= 0 }

    /// The next bytes at a place. What cannot be read from a place, such as a pipe, is read in order.
    func read(_ count: Int, at place: UInt64) throws -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            var got: Int
            repeat {
                got = pread(handle.fileDescriptor, buffer.baseAddress, count, off_t(place))
                if got < 0, errno == ESPIPE { got = Foundation.read(handle.fileDescriptor, buffer.baseAddress, count) }
            } while got < 0 && errno == EINTR
            if got < 0 { failure = errno }
            filled = max(got, 0)
        }
        guard failure == 0 else { throw FileBytes.Unreadable(path: name) }
        return bytes
    }
}

/// The bytes of a file in order, read in pieces. A file of any size takes the memory of one piece.
struct FileBytes: Sendable {
    private let source: FileSource
    private var piece: [UInt8] = []
    private var position = 0
    private var end: UInt64 = 0
    private var lastRecord: UInt64 = 0
    private(set) var line = 1
    /// How many bytes have been read.
    private(set) var offset: UInt64 = 0

    private static let pieceSize = 1 << 18
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    /// How many bytes may follow each other without a record. A file of nothing but space costs no more than these.
    static let mostBetweenRecords: UInt64 = 16 << 20

    /// The file is missing or cannot be read.
    struct Unreadable: Error, CustomStringConvertible {
        let path: String
        var description: String { "cannot read \(TerminalText.path(path))" }
    }

    /// The file is empty. Every format has at least some bytes.
    struct Empty: Error, CustomStringConvertible {
        let path: String
        var description: String { "\(path) is empty" }
    }

    /// Begins to read a file, and skips a byte order mark at its beginning.
    init(_ source: FileSource) throws {
        self.source = source
        try fill()
        guard !piece.isEmpty else { throw Empty(path: source.name) }
        if piece.starts(with: Self.byteOrderMark) {
            position = Self.byteOrderMark.count
            offset = UInt64(position)
        }
    }

    /// The next byte, without reading past it; `nil` at the end.
    mutating func peek() throws -> UInt8? {
        if position == piece.count { try fill() }
        return position < piece.count ? piece[position] : nil
    }

    /// The next byte; `nil` at the end.
    mutating func next() throws -> UInt8? {
        guard let byte = try peek() else { return nil }
        position += 1
        offset += 1
        if byte == UInt8(ascii: "\n") { line += 1 }
        return byte
    }

    /// Tells that a record ends here.
    mutating func endRecord() { lastRecord = offset }

    private mutating func fill() throws {
        guard end - lastRecord <= Self.mostBetweenRecords else {
            throw MalformedFile(line: line, reason: "there is no record in \(Self.mostBetweenRecords) bytes")
        }
        piece = try source.read(Self.pieceSize, at: end)
        end += UInt64(piece.count)
        position = 0
    }
}

struct FileRecord: Sendable {
    enum Content: Sendable {
        case object(JSONObject)
        case cells([String])
        /// The record cannot be read, for this reason. The following records can.
        case unreadable(String)
    }

    /// The line on which it begins, counted from 1.
    let line: Int
    let content: Content

    /// The largest record, in bytes. Longer ones are skipped and not kept in memory.
    static let maximumBytes = 1 << 20

    /// The content of a record of cells, if these are texts.
    static func content(of cells: [[UInt8]]) -> Content {
        let texts = cells.compactMap { String(validating: $0, as: UTF8.self) }
        guard texts.count == cells.count else { return .unreadable("the record is not UTF-8") }
        guard texts.allSatisfy(StreamSafety.holds) else {
            return .unreadable("a cell has more than \(StreamSafety.maximumMarks) combining marks in a row")
        }
        return .cells(texts)
    }
}

/// The file does not have its format from some line on.
package struct MalformedFile: Error, CustomStringConvertible {
    let line: Int
    let reason: String
    package var description: String { "line \(line): \(reason)" }
}

/// The records of a file, one at a time.
protocol FileRecords: Sendable {
    /// How many bytes of the file have been read.
    var offset: UInt64 { get }

    /// The next record; `nil` at the end.
    ///
    /// - Throws: ``MalformedFile`` when no further record can be read either, for example in a truncated file.
    mutating func next() throws -> FileRecord?
}
