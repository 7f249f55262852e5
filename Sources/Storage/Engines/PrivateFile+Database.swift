import Foundation
import Project

extension PrivateFile {
    /// Creates the database file before SQLite does, and the directories above it, of mode 0700, so that it is never readable by other
    /// users. SQLite gives its `-wal` and `-shm` files the mode of the database file. Existing ones are left unchanged.
    static func make(at path: String) throws {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        do {
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw StorageError.unavailable("the directory \(directory) cannot be made")
        }
        // An existing file is not opened, because closing it would release this process's locks on it (fcntl(2)).
        try? create(path).close()
    }
}
