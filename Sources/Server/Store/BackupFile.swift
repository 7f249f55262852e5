import Foundation
package import Project
import Storage
package import Tokens

/// A backup of an SQLite database: made in a directory or under a name, encrypted if asked, and opened again.
package struct BackupFile: Sendable {
    /// The file.
    package let path: String

    /// A file that a command was given.
    package init(_ path: String) { self.path = path }

    static let namePrefix = "postern-"
    private static let plainSuffix = ".sqlite"
    static let sealedSuffix = ".sqlite.sealed"

    /// Names a backup in a directory after its time: `postern-20260131T120000Z.sqlite`, `….sqlite.sealed` when encrypted.
    package init(in directory: String, at time: Timestamp, isSealed: Bool) {
        path = URL(filePath: directory).appending(path: Self.name(at: time, isSealed: isSealed)).path
    }

    /// The newest backup of a directory. Only files whose names ``init(in:at:isSealed:)`` makes count, and none from the future.
    ///
    /// - Throws: ``BackupError`` when there is no backup.
    package init(latestIn directory: String, at now: Timestamp) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        guard let name = Self.inTime(names.filter { Self.isName($0[...]) }, at: now).max() else {
            throw BackupError(description: "there is no backup in \(TerminalText.path(directory))")
        }
        path = URL(filePath: directory).appending(path: name).path
    }

    /// The name of a backup in a directory or bucket.
    static func name(at time: Timestamp, isSealed: Bool) -> String {
        stem(at: time) + (isSealed ? sealedSuffix : plainSuffix)
    }

    private static func stem(at time: Timestamp) -> String {
        namePrefix + time.rfc3339.prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
    }

    /// The names of backups without those from the future, which a clock that was wrong, or a stranger, made: a warning on standard error names one.
    ///
    /// - Parameter now: A name may be ahead of it by the skew of clocks.
    static func inTime(_ names: [String], at now: Timestamp) -> [String] {
        let last = stem(at: now.advanced(by: ClockSkew.limit))
        let ahead = names.filter { $0.prefix(last.count) > last }.sorted()
        if let first = ahead.first {
            StandardStream.error.write("warning: ignored \(ahead.count) backups with names from the future, such as \(first)\n")
        }
        return names.filter { $0.prefix(last.count) <= last }
    }

    /// The names of the backups to remove, oldest first: never one from the future, nor the one that was just made.
    static func outdated(_ names: [String], keeping count: Int, with made: String, at now: Timestamp) -> [String] {
        inTime(names, at: now).filter { $0 != made }.sorted().dropLast(count - 1)
    }

    /// Whether a name is one of those, so that it may be a backup to remove.
    static func isName(_ name: Substring) -> Bool {
        name.wholeMatch(of: /postern-[0-9]{8}T[0-9]{6}Z\.sqlite(\.sealed)?/) != nil
    }

    /// Something about a backup that stops the command.
    package struct BackupError: Error, CustomStringConvertible {
        package let description: String
    }

    /// Copies a database that is in use.
    ///
    /// An encrypted copy is first made beside the database, so that its plain text touches no other volume.
    package func make(of database: String, for recipient: BackupSeal.Recipient?) async throws -> Int64 {
        try StorePlace.requireDirectory(of: path)
        guard let recipient else { return try await SQLiteBackup.copy(database, to: path) }
        guard !FileManager.default.fileExists(atPath: path) else { throw SQLiteBackup.Failure.targetExists(path) }
        return try await Self.withCopy(of: database) { source, bytes in
            try await FileWork.run {
                try write { target in try BackupSeal.seal(source, for: recipient) { try target.write(contentsOf: $0) } }
            }
            return BackupSeal.sealedBytes(of: bytes)
        }
    }

    /// Makes a copy of a database that is in use, beside it, for as long as `body` runs.
    static func withCopy<T>(of database: String, _ body: (FileHandle, Int64) async throws -> T) async throws -> T {
        let plain = "\(database).backup-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: plain) }
        let bytes = try await SQLiteBackup.copy(database, to: plain)
        guard let source = FileHandle(forReadingAtPath: plain) else { throw BackupError(description: "cannot read \(plain)") }
        return try await body(source, bytes)
    }

    /// Removes older backups beside this one, which was just made in a directory. Only files whose names ``init(in:at:isSealed:)``
    /// makes count, and none from the future.
    ///
    /// - Parameter count: How many of the newest stay, with this one.
    /// - Returns: Oldest first.
    package func keep(_ count: Int, at now: Timestamp) throws -> [String] {
        let file = URL(filePath: path)
        let directory = file.deletingLastPathComponent()
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { Self.isName($0[...]) }
        let old = Self.outdated(names, keeping: count, with: file.lastPathComponent, at: now)
            .map { directory.appending(path: $0).path }
        for path in old { try FileManager.default.removeItem(atPath: path) }
        return old
    }

    /// Writes the plain database of this backup to a new file, and checks it.
    ///
    /// - Parameters:
    ///   - target: The file to make, readable by its owner only. Neither it nor its companions may be there.
    ///   - identity: The key of an encrypted backup. With it, a backup that is not encrypted is refused: an intruder in the place
    ///     of the backups may have replaced the encrypted one by his own.
    package func restore(to target: String, with identity: BackupSeal.Identity?) async throws {
        guard let source = FileHandle(forReadingAtPath: path) else {
            throw BackupError(description: "cannot read \(TerminalText.path(path))")
        }
        try Self.requireFree(target)
        let isSealed = try BackupSeal.isEncrypted(source)
        guard !isSealed || identity != nil else {
            throw BackupError(description: "the backup is encrypted: --identity names the file with the key")
        }
        guard isSealed || identity == nil else {
            throw BackupError(description: "the backup is not encrypted, though --identity names a key")
        }
        let plain = BackupFile("\(target).restore-\(UUID().uuidString)")
        defer { for companion in ["", "-wal", "-shm"] { unlink(plain.path + companion) } }
        try await FileWork.run {
            try plain.write { file in
                if isSealed, let identity {
                    try BackupSeal.open(source, to: file, with: identity)
                } else {
                    while let piece = try source.read(upToCount: 1 << 20), !piece.isEmpty { try file.write(contentsOf: piece) }
                }
            }
        }
        try SQLiteBackup.requireOwn(plain.path)
        // The copy is checked, flushed and named as that of a running database.
        _ = try await SQLiteBackup.copy(plain.path, to: target)
    }

    /// Makes sure that a database may be made under a path.
    static func requireFree(_ target: String) throws {
        try StorePlace.requireDirectory(of: target)
        for companion in [target, target + "-wal", target + "-shm"] where FileManager.default.fileExists(atPath: companion) {
            throw BackupError(description: "\(companion) is there already; nothing is overwritten")
        }
    }

    // Gives the file its name once it is whole and on disk.
    private func write(_ body: (FileHandle) throws -> Void) throws {
        let partial = "\(path).partial-\(UUID().uuidString)"
        let handle = try PrivateFile.create(partial)
        defer { unlink(partial) }
        try body(handle)
        try handle.synchronize()
        try handle.close()
        guard link(partial, path) == 0 else {
            throw errno == EEXIST ? SQLiteBackup.Failure.targetExists(path) : BackupError(description: "cannot make \(path)")
        }
    }
}
