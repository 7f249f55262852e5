import Project
import Storage

/// How wrong guesses in a row at one secret are slowed down: after a free number of them each delays the next. No more than the free number
/// are checked at once; a further one waits for their outcome.
struct GuessLimit: Sendable {
    let event: ThrottledEvent
    /// The number of wrong guesses at which delays begin.
    let free: Int
    /// The first delay in seconds. Each further one is twice as long.
    let first: Int
    /// The longest of these delays in seconds.
    let most: Int
    /// From this number on, one guess an hour is allowed.
    var mostInARow = Int64.max

    /// The wait doubles from one second to fifteen minutes. From the hundredth on, one try an hour is allowed (NIST SP 800-63B-4 §3.2.2: no
    /// more than 100 in a row).
    static func passwords(free: Int) -> GuessLimit {
        GuessLimit(event: .passwords, free: free, first: 1, most: 900, mostInARow: 100)
    }
    /// The wait doubles from 30 seconds to an hour. With eleven valid codes at a time, some 35 tries a day leave a guesser one chance in
    /// 2,500.
    static let secondFactors = GuessLimit(event: .secondFactors, free: 5, first: 30, most: 3600)
    /// Password and code of an operator are one guess, which is as slow as that of a code.
    static let operators = GuessLimit(event: .passwords, free: 5, first: 30, most: 3600)

    /// The longest wait of any kind.
    static let longest = Duration.seconds(3600)

    /// The delay before the next guess; `nil` for none.
    func delay(after failures: Int64) -> Duration? {
        if failures >= mostInARow { return Self.longest }
        guard failures >= free else { return nil }
        return .seconds(min(first << min(failures - Int64(free), 10), most))
    }
}

/// A guess that is about to be checked and has been counted as wrong.
package struct GuessAttempt: Sendable {
    /// In the order in which every transaction touches them; empty when nothing is throttled.
    fileprivate(set) var counts: [Count] = []
    /// Whether the network is usual for the account.
    var isUsual = false
    /// The network that becomes usual by a success.
    var mark: Mark?

    struct Count: Sendable {
        let scope: Scope
        let bucket: CountedBucket
        let kind: Kind
    }

    enum Kind {
        /// The guesses of a network in an hour. A right guess is taken back.
        case network
        /// Wrong guesses in a row, and those that are being checked. A right one forgets the wrong ones.
        case inARow
    }

    /// The mark of a usual network.
    struct Mark: Sendable {
        let scope: Scope
        let name: String
        /// The account that the mark belongs to; `nil` for operators.
        let localID: String?
    }

    /// As many guesses of a count as may be checked at once are being checked.
    struct Open: Error {
        let scope: Scope
        let bucket: String
        let limit: GuessLimit
    }

    mutating func count(
        _ limit: RateLimit,
        of network: ClientNetwork,
        _ scope: Scope,
        at now: Timestamp,
        _ throttle: Throttle,
        in transaction: Transaction
    ) throws {
        let counted = try transaction.count(limit, of: network, scope, at: now, throttle.limits)
        counts += counted.map { Count(scope: scope, bucket: $0, kind: .network) }
    }

    /// Counts the guess among those in a row.
    ///
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER` during a delay; ``Open``; `StorageError`. Each undoes the transaction.
    mutating func count(
        _ limit: GuessLimit,
        _ bucket: String,
        of localID: String? = nil,
        _ scope: Scope,
        at now: Timestamp,
        in transaction: Transaction
    ) throws {
        let window = ThrottleWindow.sliding(Throttle.failuresStay)
        let failures = try transaction.countThrottle(scope, bucket: bucket, of: localID, at: now, window: window)
        // This one is open, too.
        if failures.open > 1, failures.count > Int64(limit.free) { throw Open(scope: scope, bucket: bucket, limit: limit) }
        if let end = failures.block(at: now, atMost: GuessLimit.longest) { throw limit.event.refusal(until: end, at: now) }
        if let delay = limit.delay(after: failures.count) {
            try transaction.blockThrottle(scope, bucket: bucket, until: now.advanced(by: delay))
        }
        let counted = CountedBucket(name: bucket, endsAt: failures.endsAt)
        counts.append(Count(scope: scope, bucket: counted, kind: .inARow))
    }
}

extension Throttle {
    /// Failures in a row are forgotten after a week without any. By then a guesser has no advantage over one guess an hour.
    static let failuresStay = Duration.seconds(86_400 * 7)
    /// How long a network stays usual for an account after a sign-in from it.
    static let usualNetworkStays = Duration.seconds(86_400 * 90)

    /// How a guess ended whose check threw an error.
    enum GuessOutcome {
        case right, wrong
        /// It was not checked, because the server or its store had too much to do or nobody waited any longer.
        case unchecked
        /// Nobody knows. After a while it counts as wrong.
        case unknown
    }

    /// Checks a guess that was counted as wrong, and reports how it ended.
    func checking<Value>(
        _ attempt: GuessAttempt,
        outcome: (any Error) -> GuessOutcome,
        _ check: () async throws -> Value
    ) async throws -> Value {
        do {
            let value = try await check()
            try await succeeded(attempt)
            return value
        } catch {
            switch outcome(error) {
            case .right: try await succeeded(attempt)
            // One whose outcome cannot be written is taken for lost after a while.
            case .wrong: try? await Deadline.ofCleanUp { try await failed(attempt) }
            case .unchecked: try await Deadline.ofCleanUp { try await abandoned(attempt) }
            case .unknown: break
            }
            throw error
        }
    }

    /// Reports a right guess: the failures in a row are forgotten, the counts of the network and the wider ones are reduced by this one, and
    /// the marked network is usual for 90 days. Guesses that are still being checked stay counted.
    package func succeeded(_ attempt: GuessAttempt) async throws {
        guard !attempt.counts.isEmpty else { return }
        let now = environment.steadyNow()
        try await database.write { transaction throws in
            for count in attempt.counts {
                switch count.kind {
                case .network: try transaction.takeBack([count.bucket], count.scope)
                case .inARow: try transaction.forgiveThrottle(count.scope, bucket: count.bucket.name)
                }
            }
            guard let mark = attempt.mark else { return }
            let window = ThrottleWindow.sliding(Self.usualNetworkStays)
            _ = try transaction.countThrottle(mark.scope, bucket: mark.name, of: mark.localID, at: now, window: window)
        }
    }

    /// Reports a wrong guess, so that nobody waits for its outcome any longer.
    package func failed(_ attempt: GuessAttempt) async throws {
        guard let count = attempt.counts.first(where: { $0.kind == .inARow }) else { return }
        try await database.write { try $0.settleThrottle(count.scope, bucket: count.bucket.name) }
    }

    /// Reports a guess that was not checked, because the server or its store had too much to do: the counts are undone. A delay that it began
    /// stays.
    package func abandoned(_ attempt: GuessAttempt) async throws {
        guard !attempt.counts.isEmpty else { return }
        try await database.write { transaction throws in
            for count in attempt.counts {
                switch count.kind {
                case .network: try transaction.takeBack([count.bucket], count.scope)
                case .inARow: try transaction.takeBackOpenThrottle(count.scope, bucket: count.bucket.name)
                }
            }
        }
    }
}
