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
    /// there: strangers in other networks cannot lock the operator out. Strangers in the same network can delay a sign-in by password, by
    /// an hour at most; a passkey, which cannot be guessed and is not counted, and sessions that are open go on to work.
    ///
    /// - Parameters:
    ///   - email: The operator's address, or any text in its place.
    ///   - address: The client's address.
    ///   - scope: The project.
    /// - Returns: The attempt, for ``succeeded(_:)`` or ``abandoned(_:)``.
    /// - Throws: ``OperatorError/tooManyAttempts(retryAfterSeconds:)``; `StorageError`.
    func operatorAttempt(email: String, address: String?, _ scope: Scope) async throws -> OperatorAttempt {
        let (now, network) = (environment.steadyNow(), ClientNetwork(address))
        let usual = ThrottleBucket.usualForOperators(network, of: email)
        return try await counting { transaction in
            var buckets: [OperatorAttempt.Bucket] = []
            let mark = try usual.flatMap { try transaction.throttle(scope, bucket: $0) }
            let isUsual = mark.map { $0.endsAt > now } ?? false
            if !isUsual {
                let tries = try transaction.countHour(
                    scope,
                    ThrottleBucket.operators(from:),
                    of: network,
                    at: now,
                    limit: Self.operatorTriesPerHour,
                    .passwords
                )
                buckets += tries.map { OperatorAttempt.Bucket(name: $0.name, endsAt: $0.endsAt, isReset: false) }
            }
            let name = ThrottleBucket.operators(named: email, from: isUsual ? network : nil)
            buckets.append(try transaction.countFailure(name, scope, at: now))
            return OperatorAttempt(scope: scope, buckets: buckets, usual: usual)
        }
    }

    /// Counts a try of an operator who is signed in and proves password and code again. Only who has the session's cookie can make
    /// one, so it is counted by session: the tries of strangers do not count here.
    ///
    /// - Parameters:
    ///   - current: The operator.
    ///   - address: The client's address.
    ///   - scope: The project.
    /// - Returns: The attempt, for ``succeeded(_:)`` or ``abandoned(_:)``.
    /// - Throws: ``OperatorError/tooManyAttempts(retryAfterSeconds:)``; `StorageError`.
    func operatorAttempt(of current: ConsoleOperator, address: String?, _ scope: Scope) async throws -> OperatorAttempt {
        let now = environment.steadyNow()
        let usual = ThrottleBucket.usualForOperators(ClientNetwork(address), of: current.email)
        let name = ThrottleBucket.confirmations(ofSession: current.sessionHash)
        return try await counting { transaction in
            OperatorAttempt(scope: scope, buckets: [try transaction.countFailure(name, scope, at: now)], usual: usual)
        }
    }

    private func counting(
        _ body: @escaping @Sendable (any Transaction) throws -> OperatorAttempt
    ) async throws -> OperatorAttempt {
        do { return try await database.write(body) } catch let error as APIError where error.limit != nil {
            throw OperatorError.tooManyAttempts(retryAfterSeconds: error.retryAfterSeconds ?? 1)
        }
    }

    /// Reports a success.
    ///
    /// - Throws: `StorageError`.
    func succeeded(_ attempt: OperatorAttempt) async throws {
        let now = environment.steadyNow()
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

extension Transaction {
    fileprivate func countFailure(_ name: String, _ scope: Scope, at now: Timestamp) throws -> OperatorAttempt.Bucket {
        let failures = try countThrottle(scope, bucket: name, at: now, window: .sliding(Throttle.failuresStay))
        if let end = failures.block(at: now, atMost: SecondFactorDelay.longest) {
            throw ThrottledEvent.passwords.refusal(until: end, at: now)
        }
        if let delay = SecondFactorDelay.after(failures.count) {
            try blockThrottle(scope, bucket: name, until: now.advanced(by: delay))
        }
        return .init(name: name, endsAt: failures.endsAt, isReset: true)
    }
}
