import Project
import Settings
import Storage

// Limits for the cost of text messages (`limits.phone.*`; threat cases OTP-06 and OTP-09). Fictional numbers have limits of their own,
// because they send nothing; development is not counted.
extension Throttle {
    private static let hiddenDigits = 4
    // The messages to one phone in a day are limited to four hours' worth (threat case OTP-09).
    private static let hoursOfDay = 4
    // About a thousand guesses a day, one chance in a thousand, over all sessions together.
    private static let guessesPerHour = 40

    /// Counts a message in the transaction that stores it, so that a refused message is neither counted nor sent.
    ///
    /// - Parameter number: In E.164.
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`, `QUOTA_EXCEEDED`.
    func count(messageTo number: String, context: CallContext, at now: Timestamp, in transaction: Transaction) throws {
        // The count is the project's: phone and network are the same in all tenants.
        let (scope, now) = (context.scope.project, environment.steady(now))
        try countOfDay(messageTo: number, scope, at: now, in: transaction)
        for (bucket, limit) in [
            (ThrottleBucket.messages(to: number), limits.phone.perNumberPerHour),
            (ThrottleBucket.messages(toPrefix: String(number.dropLast(Self.hiddenDigits))), limits.phone.perPrefixPerHour),
        ] {
            try transaction.countFixed(scope, bucket, at: now, limit: limit, .textMessages)
        }
        try transaction.count(.messages, of: ClientNetwork(context.address), scope, at: now, limits)
        let day = try transaction.countThrottle(scope, bucket: ThrottleBucket.allMessages, at: now, window: .fixed(Self.day))
        guard day.count <= limits.phone.perDay else {
            throw APIError(
                .quotaExceeded,
                "Exceeded quota for sending verification codes.",
                retryAfterSeconds: now.secondsToWait(until: day.endsAt)
            )
        }
    }

    // Each hour's worth of messages doubles the wait for the next: an hour, two, four, the rest of the day (threat case OTP-09).
    // The first is the hourly limit itself.
    private func countOfDay(
        messageTo number: String,
        _ scope: Scope,
        at now: Timestamp,
        in transaction: Transaction
    ) throws {
        let bucket = ThrottleBucket.messagesOfDay(to: number)
        let limit = limits.phone.perNumberPerHour * Self.hoursOfDay
        let counted = try transaction.countFixed(scope, bucket, at: now, window: Self.day, limit: limit, .textMessages)
        if let end = counted.block(at: now, atMost: Self.day) {
            throw ThrottledEvent.textMessages.refusal(until: end, at: now)
        }
        let (hours, rest) = counted.count.quotientAndRemainder(dividingBy: Int64(limits.phone.perNumberPerHour))
        guard hours > 1, rest == 0 else { return }
        try transaction.blockThrottle(scope, bucket: bucket, until: now.advanced(by: .seconds(3600 << (hours - 1))))
    }

    /// Checks whether a code for a fictional number may be tried. Its code never changes, so wrong ones are counted over all
    /// sessions.
    ///
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`.
    func check(guessAt number: String, context: CallContext, at now: Timestamp, in transaction: Transaction) throws {
        let (bucket, now) = (ThrottleBucket.guesses(of: number), environment.steady(now))
        guard let wrong = try transaction.throttle(context.scope.project, bucket: bucket), now < wrong.endsAt,
            wrong.count >= Self.guessesPerHour
        else { return }
        throw ThrottledEvent.secondFactors.refusal(until: wrong.endsAt, at: now)
    }

    /// Counts a wrong code for a fictional number.
    func count(wrongGuessAt number: String, context: CallContext, at now: Timestamp, in transaction: Transaction) throws {
        let (bucket, now) = (ThrottleBucket.guesses(of: number), environment.steady(now))
        _ = try transaction.countThrottle(context.scope.project, bucket: bucket, at: now, window: .fixed(.seconds(3600)))
    }
}
