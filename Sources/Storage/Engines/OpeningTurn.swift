import Foundation

/// Lets processes open a database file one after the other.
///
/// SQLite does not wait while a new file is put into WAL mode, so one of two processes that start together would be refused as
/// busy. The lock is on the directory, where it does not conflict with SQLite's locks. It ends with the process at the latest.
struct OpeningTurn {
    private let descriptor: CInt

    private static let pauseMicroseconds: UInt32 = 10_000

    /// Waits for the turn.
    ///
    /// - Parameter patience: It blocks the calling thread, because other processes hold the lock only briefly.
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

    /// Releases the lock.
    func end() { close(descriptor) }
}
