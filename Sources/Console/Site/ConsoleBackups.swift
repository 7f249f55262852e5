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
    func all() throws -> [ConsoleBackup]

    /// Makes a backup.
    func make(_ context: CallContext) async throws -> String

    /// Checks a backup: whether it is a whole database of Postern.
    func verify(_ name: String) async throws

    /// Opens a backup to be read to its end.
    func open(_ name: String, also part: @escaping TransactionPart, _ context: CallContext) async throws -> (
        file: FileHandle, bytes: Int64
    )

    func remove(_ name: String, _ context: CallContext) async throws
}

/// A backup in the list.
package struct ConsoleBackup: Sendable {
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
