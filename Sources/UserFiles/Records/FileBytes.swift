import Foundation
import Project

/// The bytes of a file in order, read in pieces. A file of any size takes the memory of one piece.
struct FileBytes {
    private let handle: FileHandle
    private var piece: [UInt8] = []
    private var position = 0
    private(set) var line = 1
    /// How many bytes have been read.
    private(set) var offset: UInt64 = 0

    private static let pieceSize = 1 << 18
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

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

    /// Opens a file, and skips a byte order mark at its beginning.
    ///
    /// - Throws: ``Unreadable``, ``Empty``.
    init(path: String) throws {
        guard let handle = FileHandle(forReadingAtPath: path) else { throw Unreadable(path: path) }
        self.handle = handle
        do { try fill() } catch { throw Unreadable(path: path) }
        guard !piece.isEmpty else { throw Empty(path: path) }
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

    private mutating func fill() throws {
        piece = [UInt8](try handle.read(upToCount: Self.pieceSize) ?? Data())
        position = 0
    }
}

/// One record of a file.
struct FileRecord {
    /// The content of a record.
    enum Content {
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
}

/// The file does not have its format from some line on.
package struct MalformedFile: Error, CustomStringConvertible {
    let line: Int
    let reason: String
    package var description: String { "line \(line): \(reason)" }
}

/// The records of a file, one at a time.
protocol FileRecords {
    /// How many bytes of the file have been read.
    var offset: UInt64 { get }

    /// The next record; `nil` at the end.
    ///
    /// - Throws: ``MalformedFile`` when no further record can be read either, for example in a truncated file.
    mutating func next() throws -> FileRecord?
}
