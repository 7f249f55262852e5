import Project
import Storage

/// A code that is about to be checked, and has been counted as a wrong one.
struct SecondFactorAttempt: Sendable {
    /// `nil` where nothing is throttled.
    fileprivate let counted: Counted?

    fileprivate struct Counted: Sendable {
        let scope: Scope
        let bucket: String
        let endsAt: Timestamp
        let usual: String?
    }
}

extension Throttle {
    /// Counts a code before it is checked, in a transaction of its own: guesses in parallel, in many sessions and on many nodes
    /// get no further than guesses in turn, and no failure takes the count back (threat case MFA-04).
    ///
    /// A network from which the account's second factor was once shown counts by itself, so that whoever has stolen the first
    /// factor cannot keep the owner out. A right password gives nothing back here (threat case MFA-08).
    ///
    /// - Parameters:
    ///   - localID: Whose factor.
    ///   - context: The call, in the scope of the account.
    /// - Returns: What to hand to ``succeeded(_:)`` or ``abandoned(_:)``; a wrong code needs neither.
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`, with the seconds until the next try; `StorageError`.
    func secondFactorAttempt(localID: String, context: CallContext) async throws -> SecondFactorAttempt {
        guard isOn else { return SecondFactorAttempt(counted: nil) }
        let (now, scope) = (environment.now(), context.scope)
        let network = ClientNetwork(context.address)
        let usual = ThrottleBucket.usualForSecondFactors(network, of: localID)
        let counted = try await database.write { transaction in
            let isUsual = try usual.flatMap { try transaction.throttle(scope, bucket: $0) }.map { $0.endsAt > now } ?? false
            let bucket = ThrottleBucket.secondFactors(of: localID, from: isUsual ? network : nil)
            let failures = try transaction.countThrottle(scope, bucket: bucket, at: now, window: .sliding(Self.failuresStay))
            guard failures.blockedUntil <= now else {
                throw ThrottledEvent.secondFactors.refusal(until: failures.blockedUntil, at: now)
            }
            if let delay = SecondFactorDelay.after(failures.count) {
                try transaction.blockThrottle(scope, bucket: bucket, until: now.advanced(by: delay))
            }
            return SecondFactorAttempt.Counted(scope: scope, bucket: bucket, endsAt: failures.endsAt, usual: usual)
        }
        return SecondFactorAttempt(counted: counted)
    }

    /// The code was right: the failures that it counted among are forgotten, and its network is usual for 90 days.
    ///
    /// - Throws: `StorageError`.
    func succeeded(_ attempt: SecondFactorAttempt) async throws {
        guard let counted = attempt.counted else { return }
        let now = environment.now()
        try await database.write { transaction throws in
            try transaction.resetThrottle(counted.scope, bucket: counted.bucket)
            guard let usual = counted.usual else { return }
            _ = try transaction.countThrottle(counted.scope, bucket: usual, at: now, window: .sliding(Self.usualNetworkStays))
        }
    }

    /// The code was not checked after all, because the store had too much to do: the try was none. A delay that it began stays.
    ///
    /// - Throws: `StorageError`.
    func abandoned(_ attempt: SecondFactorAttempt) async throws {
        guard let counted = attempt.counted else { return }
        try await database.write { try $0.takeBackThrottle(counted.scope, bucket: counted.bucket, endingAt: counted.endsAt) }
    }
}

/// How long an account waits after wrong codes in a row: with eleven codes good at a time, some 35 tries a day leave a guesser
/// one chance in 2,500.
enum SecondFactorDelay {
    private static let free: Int64 = 5

    /// Doubles from 30 seconds to an hour.
    static func after(_ failures: Int64) -> Duration? {
        guard failures >= free else { return nil }
        return .seconds(min(30 << min(failures - free, 7), 3600))
    }
}
