import Foundation

/// Creates the database file before SQLite does, so that it is never readable by other users.
///
/// SQLite gives its `-wal` and `-shm` files the mode of the database file.
enum PrivateFile {
    /// Creates an empty file of mode 0600 and the directories above it, of mode 0700. Existing ones are left unchanged.
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
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }
}
