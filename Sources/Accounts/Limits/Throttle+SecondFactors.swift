import Project
import Storage

/// A code that is about to be checked and has been counted as wrong.
struct SecondFactorAttempt: Sendable {
    /// `nil` when nothing is throttled.
    fileprivate let counted: Counted?

    fileprivate struct Counted: Sendable {
        let scope: Scope
        let bucket: String
        let endsAt: Timestamp
        let usual: AccountBucket?
    }
}

extension Throttle {
    /// Counts a code before it is checked, in a transaction of its own, so that parallel guesses in many sessions and on many
    /// nodes gain nothing over guesses in turn, and no failure undoes the count (threat case MFA-04).
    ///
    /// A network from which the account's second factor was once proven has a count of its own, so that a thief of the first
    /// factor cannot lock the owner out. A right password does not reset these counts (threat case MFA-08).
    ///
    /// - Parameters:
    ///   - localID: The account.
    ///   - context: The call, in the scope of the account.
    /// - Returns: The attempt, for ``succeeded(_:)`` or ``abandoned(_:)``; a wrong code needs neither.
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`, with the seconds until the next try; `StorageError`.
    func secondFactorAttempt(localID: String, context: CallContext) async throws -> SecondFactorAttempt {
        guard isOn else { return SecondFactorAttempt(counted: nil) }
        let (now, scope) = (environment.steadyNow(), context.scope)
        let network = ClientNetwork(context.address)
        let usual = AccountBucket.usualForSecondFactors(network, of: localID)
        let counted = try await database.write { transaction in
            let isUsual = try transaction.isMarked(usual, scope, at: now)
            let count = AccountBucket.secondFactors(of: localID, from: isUsual ? network : nil)
            let bucket = count.name
            let failures = try transaction.countThrottle(scope, bucket: count, at: now, window: .sliding(Self.failuresStay))
            if let end = failures.block(at: now, atMost: SecondFactorDelay.longest) {
                throw ThrottledEvent.secondFactors.refusal(until: end, at: now)
            }
            if let delay = SecondFactorDelay.after(failures.count) {
                try transaction.blockThrottle(scope, bucket: bucket, until: now.advanced(by: delay))
            }
            return SecondFactorAttempt.Counted(scope: scope, bucket: bucket, endsAt: failures.endsAt, usual: usual)
        }
        return SecondFactorAttempt(counted: counted)
    }

    /// Reports a right code: its count is reset, and its network counts as usual for 90 days.
    ///
    /// - Throws: `StorageError`.
    func succeeded(_ attempt: SecondFactorAttempt) async throws {
        guard let counted = attempt.counted else { return }
        let now = environment.steadyNow()
        try await database.write { transaction throws in
            try transaction.resetThrottle(counted.scope, bucket: counted.bucket)
            guard let usual = counted.usual else { return }
            _ = try transaction.countThrottle(counted.scope, bucket: usual, at: now, window: .sliding(Self.usualNetworkStays))
        }
    }

    /// Reports a code that was not checked because the store was overloaded: the count is undone. A delay that it began stays.
    ///
    /// - Throws: `StorageError`.
    func abandoned(_ attempt: SecondFactorAttempt) async throws {
        guard let counted = attempt.counted else { return }
        try await database.write { try $0.takeBackThrottle(counted.scope, bucket: counted.bucket, endingAt: counted.endsAt) }
    }
}

/// The wait after wrong codes in a row. With eleven valid codes at a time, some 35 tries a day leave a guesser one chance in
/// 2,500.
enum SecondFactorDelay {
    private static let free: Int64 = 5
    /// The longest wait.
    static let longest = Duration.seconds(3600)

    /// The wait doubles from 30 seconds to an hour.
    static func after(_ failures: Int64) -> Duration? {
        guard failures >= free else { return nil }
        return min(.seconds(30 << min(failures - free, 7)), longest)
    }
}
