import Foundation
import Project

/// A file's bytes one after the other, read in pieces: a file of any size takes the memory of one piece.
struct FileBytes {
    private let handle: FileHandle
    private var piece: [UInt8] = []
    private var position = 0
    private(set) var line = 1
    /// How many bytes have been passed.
    private(set) var offset: UInt64 = 0

    private static let pieceSize = 1 << 18
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The file is not there, or cannot be read.
    struct Unreadable: Error, CustomStringConvertible {
        let path: String
        var description: String { "cannot read \(path.shownPath)" }
    }

    /// There is nothing in the file: no format has such a one.
    struct Empty: Error, CustomStringConvertible {
        let path: String
        var description: String { "\(path) is empty" }
    }

    /// Opens a file; a byte order mark at its beginning is passed over.
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

    /// The next byte, which stays; `nil` at the end.
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
    /// What it holds.
    enum Content {
        case object(JSONObject)
        case cells([String])
        /// It cannot be read, and why; the records behind it can.
        case unreadable(String)
    }

    /// The line on which it begins, the first is 1.
    let line: Int
    let content: Content

    /// The largest record, in bytes. What is longer is passed over without being kept.
    static let maximumBytes = 1 << 20
}

/// The file is none of its format from some line on.
struct MalformedFile: Error, CustomStringConvertible {
    let line: Int
    let reason: String
    var description: String { "line \(line): \(reason)" }
}

/// The records of a file, one at a time.
protocol FileRecords {
    /// The next record; `nil` behind the last.
    ///
    /// - Throws: ``MalformedFile`` where nothing behind can be read either, a file that was cut off for one.
    mutating func next() throws -> FileRecord?
}
