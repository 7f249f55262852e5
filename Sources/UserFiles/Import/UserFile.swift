import Foundation
package import Project

/// A file of users that is opened for an import.
package struct UserFile {
    let records: any FileRecords
    let format: any UserFileFormat
    private let path: String
    /// The bytes of the file; 0 where that is not known.
    let size: UInt64

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - format: The kind of the file.
    ///   - passwords: A second file with password hashes, for Auth0.
    ///   - now: The current time.
    /// - Throws: ``FileBytes/Unreadable``, ``FileBytes/Empty``, ``MalformedFile``.
    package init(_ path: String, format: UserFileFormatName, passwords: String? = nil, now: Timestamp) throws {
        try self.init(path, in: format.format(passwords: passwords, now: now))
    }

    /// Opens a file of `firebase auth:export`, or the emulator's `accounts.json`.
    ///
    /// - Parameter path: The file.
    /// - Throws: ``FileBytes/Unreadable``, ``FileBytes/Empty``, ``MalformedFile``.
    package init(firebaseJSON path: String) throws {
        try self.init(path, in: FirebaseJSONFormat())
    }

    private init(_ path: String, in format: any UserFileFormat) throws {
        self.format = format
        self.path = path
        records = try format.records(of: path)
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        size = (attributes?[.size] as? NSNumber)?.uint64Value ?? 0
    }

    /// The same file from its beginning. The records of a file are read once.
    ///
    /// - Throws: ``FileBytes/Unreadable``, ``FileBytes/Empty``, ``MalformedFile``.
    package func reopened() throws -> UserFile { try UserFile(path, in: format) }
}
