import Foundation
import GRDB

/// How a connection waits while another process holds a lock on the file.
///
/// SQLite's own wait sleeps for whole seconds if it was built without `usleep`, as on Debian.
enum BusyWait {
    private static let longestPauseMilliseconds = 16

    /// Pauses of 1, 2, 4, 8 and then 16 milliseconds, until they add up to the timeout.
    static func mode(timeout: Duration) -> GRDB.Database.BusyMode {
        let milliseconds = Int(timeout / .milliseconds(1))
        return .callback { tries in
            let doublings = min(tries, longestPauseMilliseconds.trailingZeroBitCount)
            let waited = (1 << doublings) - 1 + (tries - doublings) * longestPauseMilliseconds
            guard waited < milliseconds else { return false }
            usleep(UInt32(1 << doublings) * 1000)
            return true
        }
    }
}
