import Logging
import Project
import Synchronization

/// Logs that a store refuses calls: a line when that begins, one in each interval with the number of calls, and one when it is over.
///
/// The refusals themselves are not logged elsewhere (``StorageError/isLoggedAtSource``), so that an outage does not write a line for
/// each call.
final class StoreOutage: Sendable {
    /// When lines are written.
    struct Rhythm: Sendable {
        /// Between two lines of one outage.
        var interval = Duration.seconds(30)
        /// How long no call may have been refused before an answered one ends the outage.
        var quiet = Duration.seconds(15)
    }

    private struct Course {
        let start: ContinuousClock.Instant
        var lastRefusal: ContinuousClock.Instant
        var lastLine: ContinuousClock.Instant
        var refused = 0
        var unknown = 0
    }

    private struct Losses {
        var lastLine: ContinuousClock.Instant?
        var untold = 0
    }

    private let logger: Logger
    private let rhythm: Rhythm
    private let course = LockedState<Course?>(nil)
    private let losses = LockedState(Losses())
    // Saves answered calls the lock.
    private let isOn = Atomic(false)

    init(logger: Logger, rhythm: Rhythm = Rhythm()) {
        self.logger = logger
        self.rhythm = rhythm
    }

    /// Runs a call of the store, and records how it ended.
    func watching<T: Sendable>(_ call: () async throws -> T) async throws -> T {
        do {
            let result = try await call()
            if isOn.load(ordering: .relaxed) { answered() }
            return result
        } catch let error as StorageError where error.isLoggedAtSource {
            refused(error)
            throw error
        }
    }

    /// Records a lost connection. Its call may yet succeed on another one.
    func lostConnection(_ reason: String) {
        let untold = losses.withLock { losses -> Int? in
            let now = ContinuousClock.now
            if let last = losses.lastLine, now - last < rhythm.interval {
                losses.untold += 1
                return nil
            }
            defer { losses = Losses(lastLine: now) }
            return losses.untold
        }
        guard let untold else { return }
        var metadata: Logger.Metadata = ["reason": "\(reason)"]
        if untold > 0 { metadata["moreSinceLastLine"] = "\(untold)" }
        logger.warning("connection to PostgreSQL lost", metadata: metadata)
    }

    private func refused(_ error: StorageError) {
        let now = ContinuousClock.now
        let line = course.withLock { course -> (message: Logger.Message, course: Course)? in
            isOn.store(true, ordering: .relaxed)
            var current = course ?? Course(start: now, lastRefusal: now, lastLine: now)
            let isFirst = course == nil
            current.refused += 1
            current.lastRefusal = now
            if error == .outcomeUnknown { current.unknown += 1 }
            let isTold = isFirst || now - current.lastLine >= rhythm.interval
            if isTold { current.lastLine = now }
            course = current
            return isTold ? (isFirst ? "the store refuses calls" : "the store still refuses calls", current) : nil
        }
        guard let line else { return }
        logger.error(line.message, metadata: details(line.course, until: now).merging(["error": "\(error)"]) { $1 })
    }

    private func answered() {
        let now = ContinuousClock.now
        let ended = course.withLock { course -> Course? in
            guard let current = course, now - current.lastRefusal >= rhythm.quiet else { return nil }
            isOn.store(false, ordering: .relaxed)
            course = nil
            return current
        }
        guard let ended else { return }
        logger.notice("the store answers again", metadata: details(ended, until: ended.lastRefusal))
    }

    private func details(_ course: Course, until end: ContinuousClock.Instant) -> Logger.Metadata {
        var details: Logger.Metadata = [
            "refused": "\(course.refused)", "seconds": "\(Int((end - course.start) / .seconds(1)))",
        ]
        // Writes that may or may not be stored.
        if course.unknown > 0 { details["outcomeUnknown"] = "\(course.unknown)" }
        return details
    }
}
