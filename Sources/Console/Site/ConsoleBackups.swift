package import Foundation
package import Project
package import Storage

/// Backups of the store, which the server makes (`Docs/Operations.md`).
package protocol ConsoleBackups: Sendable {
    /// The directory of the backups; `nil` where the store is not an SQLite file.
    var directory: String? { get }

    /// The public key that backups are encrypted for; `nil` for plain ones.
    var recipient: String? { get }

    /// The backups, the newest first.
    ///
    /// - Throws: ``ConsoleBackupRefused``, and the errors of the file system.
    func all() throws -> [ConsoleBackup]

    /// Makes a backup.
    ///
    /// - Parameter context: The operator's call, for the audit trail.
    /// - Returns: Its name.
    /// - Throws: ``ConsoleBackupRefused``, and the errors of the store and of the file system.
    func make(_ context: CallContext) async throws -> String

    /// Checks a backup: whether it is a whole database of Postern.
    ///
    /// - Throws: ``ConsoleBackupRefused`` with what is wrong.
    func verify(_ name: String) async throws

    /// Opens a backup to be read to its end.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - part: What else happens in the transaction of the audit trail's record.
    ///   - context: The operator's call.
    /// - Returns: The file, and its size in bytes.
    /// - Throws: ``ConsoleBackupRefused``, and the errors of the store.
    func open(_ name: String, also part: @escaping TransactionPart, _ context: CallContext) async throws -> (
        file: FileHandle, bytes: Int64
    )

    /// Removes a backup.
    ///
    /// - Throws: ``ConsoleBackupRefused``, and the errors of the store and of the file system.
    func remove(_ name: String, _ context: CallContext) async throws
}

/// A backup in the list.
package struct ConsoleBackup: Sendable {
    /// The name of its file.
    package let name: String
    package let bytes: Int64
    package let madeAt: Timestamp
    /// Whether it is encrypted, so that the server cannot check it.
    package let isSealed: Bool

    package init(name: String, bytes: Int64, madeAt: Timestamp, isSealed: Bool) {
        self.name = name
        self.bytes = bytes
        self.madeAt = madeAt
        self.isSealed = isSealed
    }
}

/// Why nothing is done with a backup, as a sentence.
package struct ConsoleBackupRefused: Error {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}
