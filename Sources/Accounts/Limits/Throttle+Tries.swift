import Project
import Storage

extension Throttle {
    /// Counts a try, and waits before that while as many tries of its count as may be evaluated at once are being evaluated: right ones, of
    /// several apps of one user for example, must not look like guesses.
    ///
    /// - Parameter count: The transaction that counts the try by ``GuessAttempt/count(_:_:of:_:at:in:)``.
    /// - Returns: The result of `count`.
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER` when the others take too long; `CancellationError`; the errors of
    ///   `count`.
    func inTurn<Counted>(_ count: () async throws -> Counted) async throws -> Counted {
        do { return try await count() } catch let open as GuessAttempt.Open { return try await inLine(of: open, count) }
    }

    private func inLine<Counted>(of open: GuessAttempt.Open, _ count: () async throws -> Counted) async throws -> Counted {
        let (now, scope) = (environment.steadyNow(), open.scope)
        let refusal = open.limit.event.refusal(until: now.advanced(by: .seconds(1)), at: now)
        let line = "\(scope.projectID.utf8.count):\(scope.projectID):\(scope.tenantKey):\(open.bucket)"
        guard let place = lines.enter(line) else { throw refusal }
        defer { lines.leave(place) }
        let end = ContinuousClock.now + patience
        while ContinuousClock.now < end {
            if lines.isFirst(place), try await !mustWait(for: open) {
                do { return try await count() } catch is GuessAttempt.Open {}
            }
            try await Task.sleep(for: Self.pause)
        }
        throw refusal
    }

    /// Whether a try must still wait. Tries of a node that has died stay open; after some time they count as wrong.
    private func mustWait(for open: GuessAttempt.Open) async throws -> Bool {
        let (now, scope, bucket) = (environment.steadyNow(), open.scope, open.bucket)
        guard let failures = try await database.read({ try $0.throttle(scope, bucket: bucket) }),
            failures.count >= Int64(open.limit.free), failures.open > 0, failures.endsAt > now
        else { return false }
        let isLost = failures.endsAt < now.advanced(by: Self.failuresStay - Self.longestCheck)
        if isLost {
            try await database.write { try $0.settleAllOfThrottle(scope, bucket: bucket, countedUntil: failures.endsAt) }
        }
        return !isLost
    }

    // How often a try that waits looks.
    private static let pause = Duration.milliseconds(20)
    // Nothing is checked for longer, the wait for a place in the hasher's queue included.
    private static let longestCheck = Duration.seconds(60)
}
