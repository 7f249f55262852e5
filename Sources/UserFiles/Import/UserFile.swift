import Crypto
package import Foundation
package import Project

/// A file of users that is opened for an import.
package struct UserFile: Sendable {
    let records: any FileRecords
    let format: any UserFileFormat
    private let source: FileSource

    package init(_ path: String, format: UserFileFormatName, passwords: String? = nil, now: Timestamp) throws {
        try self.init(FileSource(path: path), in: format.format(passwords: passwords, now: now))
    }

    /// Reads a file that is open.
    ///
    /// - Parameter file: It is read from its beginning, wherever it stands.
    package init(_ file: FileHandle, format: UserFileFormatName, now: Timestamp) throws {
        try self.init(FileSource(name: "the file", handle: file), in: format.format(passwords: nil, now: now))
    }

    /// SHA-256 of all bytes of a file that is open.
    ///
    /// - Parameter file: It stands at its beginning afterwards.
    package static func digest(of file: FileHandle) async throws -> [UInt8] {
        try await FileWork.run {
            var digest = SHA256()
            try file.seek(toOffset: 0)
            while let piece = try file.read(upToCount: 1 << 20), !piece.isEmpty { digest.update(data: piece) }
            try file.seek(toOffset: 0)
            return Array(digest.finalize())
        }
    }

    /// Opens a file of `firebase auth:export`, or the emulator's `accounts.json`.
    package init(firebaseJSON path: String) throws {
        try self.init(FileSource(path: path), in: FirebaseJSONFormat())
    }

    private init(_ source: FileSource, in format: any UserFileFormat) throws {
        self.format = format
        self.source = source
        records = try format.records(of: FileBytes(source))
    }

    /// The bytes of the file; 0 where that is not known.
    var size: UInt64 { source.size }

    /// Whether ``reopened()`` finds the bytes again; a pipe's are gone.
    var canBeReadAgain: Bool { source.canBeReadAgain }

    /// The same file from its beginning. The records of a file are read once.
    package func reopened() throws -> UserFile { try UserFile(source, in: format) }
}
