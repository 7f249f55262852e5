import Project
import Storage

/// An operator's try that has been counted as failed.
struct OperatorAttempt: Sendable {
    fileprivate let scope: Scope
    fileprivate let buckets: [Bucket]
    fileprivate let usual: String?

    fileprivate struct Bucket: Sendable {
        let name: String
        let endsAt: Timestamp
        /// Whether a success forgets all failures, and not this one only.
        let isReset: Bool
    }
}

extension Throttle {
    private static let operatorTriesPerHour = 60

    /// Counts a try of an operator by password before it is checked: by network in an hour, and by address until one succeeds. It
    /// counts in development, too.
    ///
    /// A network from which the operator has signed in has a count of its own for the operator's address, and its hour does not count
    /// there: strangers in the same network cannot lock the operator out. Passkeys cannot be guessed, so they are not counted.
    ///
    /// - Parameters:
    ///   - email: The operator's address, or any text in its place.
    ///   - address: The client's address.
    ///   - scope: The project.
    /// - Returns: The attempt, for ``succeeded(_:)`` or ``abandoned(_:)``.
    /// - Throws: ``OperatorError/tooManyAttempts(retryAfterSeconds:)``; `StorageError`.
    func operatorAttempt(email: String, address: String?, _ scope: Scope) async throws -> OperatorAttempt {
        let (now, network) = (environment.now(), ClientNetwork(address))
        let usual = ThrottleBucket.usualForOperators(network, of: email)
        do {
            return try await database.write { transaction in
                var buckets: [OperatorAttempt.Bucket] = []
                let mark = try usual.flatMap { try transaction.throttle(scope, bucket: $0) }
                let isUsual = mark.map { $0.endsAt > now } ?? false
                if !isUsual {
                    let tries = ThrottleBucket.operators(from: network)
                    let hour = try transaction.countHour(scope, tries, at: now, limit: Self.operatorTriesPerHour, .passwords)
                    buckets.append(.init(name: tries, endsAt: hour.endsAt, isReset: false))
                }
                let name = ThrottleBucket.operators(named: email, from: isUsual ? network : nil)
                let failures = try transaction.countThrottle(
                    scope,
                    bucket: name,
                    at: now,
                    window: .sliding(Self.failuresStay)
                )
                guard failures.blockedUntil <= now else {
                    throw ThrottledEvent.passwords.refusal(until: failures.blockedUntil, at: now)
                }
                if let delay = SecondFactorDelay.after(failures.count) {
                    try transaction.blockThrottle(scope, bucket: name, until: now.advanced(by: delay))
                }
                buckets.append(.init(name: name, endsAt: failures.endsAt, isReset: true))
                return OperatorAttempt(scope: scope, buckets: buckets, usual: usual)
            }
        } catch let error as APIError where error.limit != nil {
            throw OperatorError.tooManyAttempts(retryAfterSeconds: error.retryAfterSeconds ?? 1)
        }
    }

    /// Reports a success.
    ///
    /// - Throws: `StorageError`.
    func succeeded(_ attempt: OperatorAttempt) async throws {
        let now = environment.now()
        try await database.write { transaction throws in
            for bucket in attempt.buckets {
                if bucket.isReset {
                    try transaction.resetThrottle(attempt.scope, bucket: bucket.name)
                } else {
                    try transaction.takeBackThrottle(attempt.scope, bucket: bucket.name, endingAt: bucket.endsAt)
                }
            }
            guard let usual = attempt.usual else { return }
            _ = try transaction.countThrottle(attempt.scope, bucket: usual, at: now, window: .sliding(Self.usualNetworkStays))
        }
    }

    /// Reports a try that was not checked, because the server or its store had too much to do.
    ///
    /// - Throws: `StorageError`.
    func abandoned(_ attempt: OperatorAttempt) async throws {
        try await database.write { transaction throws in
            for bucket in attempt.buckets {
                try transaction.takeBackThrottle(attempt.scope, bucket: bucket.name, endingAt: bucket.endsAt)
            }
        }
    }
}
