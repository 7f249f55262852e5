import Foundation

/// Makes the database file before SQLite does, so that it is private from its first byte on.
///
/// SQLite gives its `-wal` and `-shm` files the mode of the database file.
enum PrivateFile {
    /// Makes an empty file of mode 0600 and the directories above it, of mode 0700; what is there already stays as it is.
    ///
    /// - Throws: ``StorageError/unavailable(_:)`` when a directory cannot be made. Whether the file can be used is SQLite's to say.
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
        // An existing file is not opened: closing it again would drop the locks that this process may hold on it (fcntl(2)).
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }
}
