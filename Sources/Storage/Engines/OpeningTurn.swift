import Foundation

/// Lets one process after the other open a database file.
///
/// SQLite cannot wait its turn while a new file is put into WAL mode: of two processes that start at once one would be refused as
/// busy. The lock is on the directory, where it meets none of SQLite's own, and ends with the process at the latest.
struct OpeningTurn {
    private let descriptor: CInt

    private static let pauseMicroseconds: UInt32 = 10_000

    /// Waits for the turn.
    ///
    /// - Parameters:
    ///   - path: The database file.
    ///   - patience: For how long to wait. The calling thread waits: others hold the turn for moments only.
    /// - Throws: ``StorageError/unavailable(_:)`` when the directory cannot be read or locked.
    init(beside path: String, patience: Duration) throws {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StorageError.unavailable("the directory \(directory) cannot be opened") }
        let deadline = ContinuousClock.now + patience
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let isTaken = errno == EWOULDBLOCK
            guard isTaken || errno == EINTR, ContinuousClock.now < deadline else {
                close(descriptor)
                let reason = isTaken ? "is locked by another process" : "cannot be locked"
                throw StorageError.unavailable("the directory \(directory) \(reason)")
            }
            usleep(Self.pauseMicroseconds)
        }
    }

    /// Lets the next one go on.
    func end() { close(descriptor) }
}
