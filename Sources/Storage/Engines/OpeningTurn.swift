import Foundation

/// Lets one process after the other open a database file.
///
/// SQLite cannot wait its turn while a new file is put into WAL mode: of two processes that start at once one would be refused as
/// busy. The lock is on the directory, where it meets none of SQLite's own, and ends with the process at the latest.
struct OpeningTurn {
    private let descriptor: CInt

    /// Waits for the turn.
    ///
    /// - Throws: ``StorageError/unavailable(_:)`` when the directory cannot be read or locked.
    init(beside path: String) throws {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StorageError.unavailable("the directory \(directory) cannot be opened") }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else {
                close(descriptor)
                throw StorageError.unavailable("the directory \(directory) cannot be locked")
            }
        }
    }

    /// Lets the next one go on.
    func end() { close(descriptor) }
}
