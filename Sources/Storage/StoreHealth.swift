import Logging
import Project
import Synchronization

/// What a store knows of its own health, from how its calls ended.
///
/// It logs that the store refuses calls: a line when that begins, one in each interval with the number of calls, and one when it is over.
/// The refusals themselves are not logged elsewhere (``StorageError/isLoggedAtSource``), so that an outage does not write a line for
/// each call.
///
/// It remembers that a write failed, until a probe has shown that the store accepts writes (threat case OPS-02). Reads still succeed while
/// a disk is full, a file is read-only or another process holds its lock. A check that only reads would report such a store as healthy.
final class StoreHealth: Sendable {
    /// The kind of a call.
    enum Kind {
        case read
        case write
    }

    private struct Outage {
        let start: ContinuousClock.Instant
        var lastRefusal: ContinuousClock.Instant
        var lines: LogThrottle
        var refused = 0
        var unknown = 0
    }

    private let logger: Logger
    private let interval: Duration
    private let quiet: Duration
    private let outage = LockedState<Outage?>(nil)
    private let losses: LockedState<LogThrottle>
    private let writes = LockedState(WriteHealth())
    // Saves answered calls the lock.
    private let isOut = Atomic(false)

    /// - Parameters:
    ///   - interval: Between two lines of one outage.
    ///   - quiet: How long no call may have been refused before an answered one ends the outage.
    init(logger: Logger, interval: Duration = .seconds(30), quiet: Duration = .seconds(15)) {
        self.logger = logger
        self.interval = interval
        self.quiet = quiet
        losses = LockedState(LogThrottle(interval: interval))
    }

    /// Runs a call of the store, and records how it ended.
    func watching<T: Sendable>(_ kind: Kind, _ call: () async throws -> T) async throws -> T {
        do {
            let result = try await call()
            if isOut.load(ordering: .relaxed) { answered() }
            return result
        } catch let error as StorageError {
            if kind == .write { writes.withLock { $0.note(error) } }
            if error.isLoggedAtSource { refused(error) }
            throw error
        }
    }

    /// After a failed write, has a probe write. The store stays in doubt until a probe has been committed.
    ///
    /// - Parameter probe: Writes the proof that the doubt is over, and waits for the commit. It is told whether space is in doubt.
    /// - Throws: ``StorageError/busy`` when a write has failed meanwhile, maybe after the probe; else what the probe throws.
    func settle(_ probe: (_ isSpaceInDoubt: Bool) async throws -> Void) async throws {
        let seen = writes.withLock { $0 }
        guard seen.isInDoubt else { return }
        try await probe(seen.isSpaceInDoubt)
        guard writes.withLock({ $0.settle(seen) }) else { throw StorageError.busy }
    }

    /// Records a lost connection. Its call may yet succeed on another one.
    func lostConnection(_ reason: String) {
        guard let leftOut = losses.withLock({ $0.admit(at: .now) }) else { return }
        var metadata: Logger.Metadata = ["reason": "\(reason)"]
        if leftOut > 0 { metadata["moreSinceLastLine"] = "\(leftOut)" }
        logger.warning("connection to PostgreSQL lost", metadata: metadata)
    }

    private func refused(_ error: StorageError) {
        let now = ContinuousClock.now
        let line = outage.withLock { outage -> (message: Logger.Message, outage: Outage)? in
            isOut.store(true, ordering: .relaxed)
            var current = outage ?? Outage(start: now, lastRefusal: now, lines: LogThrottle(interval: interval))
            current.refused += 1
            current.lastRefusal = now
            if error == .outcomeUnknown { current.unknown += 1 }
            let isTold = current.lines.admit(at: now) != nil
            let message: Logger.Message = outage == nil ? "the store refuses calls" : "the store still refuses calls"
            outage = current
            return isTold ? (message, current) : nil
        }
        guard let line else { return }
        logger.error(line.message, metadata: details(line.outage, until: now).merging(["error": "\(error)"]) { $1 })
    }

    private func answered() {
        let now = ContinuousClock.now
        let ended = outage.withLock { outage -> Outage? in
            guard let current = outage, now - current.lastRefusal >= quiet else { return nil }
            isOut.store(false, ordering: .relaxed)
            outage = nil
            return current
        }
        guard let ended else { return }
        logger.notice("the store answers again", metadata: details(ended, until: ended.lastRefusal))
    }

    private func details(_ outage: Outage, until end: ContinuousClock.Instant) -> Logger.Metadata {
        var details: Logger.Metadata = [
            "refused": "\(outage.refused)", "seconds": "\(Int((end - outage.start) / .seconds(1)))",
        ]
        // Writes that may or may not be stored.
        if outage.unknown > 0 { details["outcomeUnknown"] = "\(outage.unknown)" }
        return details
    }
}

/// Which writes have failed since the store was last known to accept them.
private struct WriteHealth: Sendable {
    private var failures = 0
    private var settledFailures = 0
    /// Whether the store may have no space for a write, even if it accepts one.
    private(set) var isSpaceInDoubt = false

    var isInDoubt: Bool { failures > settledFailures }

    /// Notes a failed write, unless it failed for its content.
    mutating func note(_ failure: StorageError) {
        switch failure {
        case .uniqueViolation, .foreignKeyViolation, .decoding, .closed: return
        case .busy, .readOnly: break
        // A full disk is not always reported as such. It may also break connections or exceed a quota.
        default: isSpaceInDoubt = true
        }
        failures += 1
    }

    /// Ends the doubt after a probe.
    ///
    /// - Parameter seen: What was known when the probe began.
    /// - Returns: Whether no write has failed since then.
    mutating func settle(_ seen: WriteHealth) -> Bool {
        guard failures == seen.failures else { return false }
        (settledFailures, isSpaceInDoubt) = (failures, false)
        return true
    }
}
