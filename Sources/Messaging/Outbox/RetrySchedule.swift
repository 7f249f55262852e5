import Project

/// When a message is tried again. Each pause is twice as long as the one before, up to a longest pause. Up to a
/// quarter is added or taken off at random, so that messages that failed together are not retried together.
struct RetrySchedule: Sendable {
    private let first: Int64
    private let longest: Int64
    /// More attempts than fit into a message's life. The limit stops a message that crashes its node at every attempt.
    let maximumAttempts: Int

    /// From 30 seconds to four hours: a link in an e-mail is valid for hours.
    static let email = RetrySchedule(first: 30_000, longest: 4 * 3600 * 1000, maximumAttempts: 20)
    /// From two seconds to one minute: a user waits for the code.
    static let sms = RetrySchedule(first: 2000, longest: 60_000, maximumAttempts: 20)

    /// From five seconds to an hour: the receiver is a server of the operator's, which will be back.
    static let webhook = RetrySchedule(first: 5000, longest: 3600 * 1000, maximumAttempts: 60)

    /// The pause after an attempt.
    ///
    /// - Parameters:
    ///   - attempts: How many attempts there have been, from 1.
    ///   - jitter: A random byte.
    func pause(afterAttempts attempts: Int, jitter: UInt8) -> Duration {
        let doubled = min(first << Int64(min(max(attempts - 1, 0), 16)), longest)
        return .milliseconds(doubled * 3 / 4 + doubled / 2 * Int64(jitter) / 255)
    }
}
