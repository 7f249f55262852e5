import Project

/// When a message is tried again: after a while, then twice as long each time up to a longest pause, and a quarter more or less of
/// it, so that what failed together does not come back together.
struct RetrySchedule: Sendable {
    private let first: Int64
    private let longest: Int64
    /// More attempts than fit into a message's life: ends one that takes its node down each time.
    let maximumAttempts: Int

    /// From 30 seconds to four hours: a link in an e-mail is good for hours.
    static let email = RetrySchedule(first: 30_000, longest: 4 * 3600 * 1000, maximumAttempts: 20)
    /// From two seconds to one minute: somebody waits for the code.
    static let sms = RetrySchedule(first: 2000, longest: 60_000, maximumAttempts: 20)

    /// From five seconds to an hour: the receiver is a server of the operator's, which comes back.
    static let webhook = RetrySchedule(first: 5000, longest: 3600 * 1000, maximumAttempts: 60)

    private init(first: Int64, longest: Int64, maximumAttempts: Int) {
        self.first = first
        self.longest = longest
        self.maximumAttempts = maximumAttempts
    }

    /// The pause after an attempt.
    ///
    /// - Parameters:
    ///   - attempts: How many there have been, from 1.
    ///   - jitter: A random byte.
    /// - Returns: How long to wait.
    func pause(afterAttempts attempts: Int, jitter: UInt8) -> Duration {
        let doubled = min(first << Int64(min(max(attempts - 1, 0), 16)), longest)
        return .milliseconds(doubled * 3 / 4 + doubled / 2 * Int64(jitter) / 255)
    }
}
