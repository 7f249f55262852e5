import Project

/// When a message is tried again: 30 seconds after the first failure, then twice as long each time, at most four hours, and a
/// quarter more or less of it, so that what failed together does not come back together.
enum RetrySchedule {
    private static let first: Int64 = 30_000
    private static let longest: Int64 = 4 * 3600 * 1000
    /// More attempts than fit into a day: ends a message that takes its node down each time.
    static let maximumAttempts = 20

    /// The pause after an attempt.
    ///
    /// - Parameters:
    ///   - attempts: How many there have been, from 1.
    ///   - jitter: A random byte.
    /// - Returns: How long to wait.
    static func pause(afterAttempts attempts: Int, jitter: UInt8) -> Duration {
        let doubled = min(first << Int64(min(max(attempts - 1, 0), 16)), longest)
        return .milliseconds(doubled * 3 / 4 + doubled / 2 * Int64(jitter) / 255)
    }
}
