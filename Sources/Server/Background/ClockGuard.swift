import Logging
import Project
import Storage

/// Judges the system's clock by a clock that nobody sets and by the time at which the store was last seen (threat case OPS-03).
///
/// After a jump nothing is removed, and counts go on by the time that is believed, until all three agree again or an operator confirms the
/// system's clock. Tokens always have the system's time.
///
/// Nodes in doubt tell each other through the store how far they count, and go by the one that is furthest, so that those which start minutes
/// apart count by the same time.
///
/// A start after a pause looks the same as a start with a clock that is ahead. The clock is believed again when it has kept in step for as
/// long as it was ahead, an hour at most. More than a week needs an operator, and so does a clock that is behind.
final class ClockGuard: Sendable {
    private struct State {
        /// A moment on both clocks, from which the believed time goes on.
        var base: (wall: Timestamp, steady: Duration)
        /// What the store said last.
        var stored: StoreClockRecord?
        var doubt: Doubt?
    }

    private struct Doubt {
        /// Since when the clock has kept in step, with a lead.
        var since: Duration
        var lead: Duration
        var origin: Origin
    }

    private enum Origin {
        /// The process began with it, so that it may have been a pause.
        case start
        /// The clock left the one that nobody sets.
        case jump
        /// Another node, whose clock was believed, was ahead.
        case otherNode
    }

    private enum Transition {
        case doubted(Duration)
        case believed
    }

    private let systemTime: @Sendable () -> Timestamp
    private let uptime: @Sendable () -> Duration
    private let logger: Logger
    private let state: LockedState<State>

    private static let tolerance = ClockSkew.limit
    // A clock that is corrected little by little must not add up to a jump.
    private static let rebasing = Duration.seconds(3600)
    private static let longestStep = Duration.seconds(3600)
    private static let longestPause = Duration.seconds(86_400 * 7)

    init(_ environment: ServerEnvironment, logger: Logger) {
        (systemTime, uptime) = (environment.systemTime, environment.uptime)
        self.logger = logger
        state = LockedState(State(base: (environment.systemTime(), environment.uptime())))
    }

    /// By how much the system's clock has left the time that is believed; `nil` while it is believed.
    var lead: Duration? { look().lead }

    private func look() -> (wall: Timestamp, lead: Duration?) {
        let (wall, lead, isNew) = state.withLock { state -> (Timestamp, Duration?, Bool) in
            let (wall, steady) = (systemTime(), uptime())
            let lead = Self.lead(of: wall, over: state, at: steady)
            if state.doubt != nil { return (wall, lead, false) }
            guard Self.isJump(lead) else { return (wall, nil, false) }
            state.doubt = Doubt(since: steady, lead: lead, origin: .jump)
            return (wall, lead, true)
        }
        if isNew, let lead { report(.doubted(lead)) }
        return (wall, lead)
    }

    /// Compares the clock with the store's time, when the server starts.
    func start(_ database: any Database) async throws {
        let stored = try await database.read { try $0.storeClock() }
        let change = state.withLock { state -> Transition? in
            state.stored = stored
            guard let stored else { return nil }
            let (wall, steady) = (systemTime(), uptime())
            let lead = wall.since(stored.time)
            guard Self.isJump(lead) else { return nil }
            state.base = (stored.time, steady)
            state.doubt = Doubt(since: steady, lead: lead, origin: .start)
            return .doubted(lead)
        }
        report(change)
        try await review(database)
    }

    /// Compares the clocks with each other and with the store's time, and notes in the store that it was seen while the clock is believed, or
    /// else how far this node counts.
    func review(_ database: any Database) async throws {
        let (wall, lead) = look()
        let confirmations = state.withLock { $0.stored?.confirmations }
        let stored = try await database.write { transaction in
            if let lead {
                if let confirmations { try transaction.noteSteadyTime(wall - lead, confirmations: confirmations) }
            } else {
                try transaction.noteStoreClock(at: wall)
            }
            return try transaction.storeClock()
        }
        guard let stored else { return }
        report(state.withLock { Self.weigh(stored, &$0, wall: systemTime(), steady: uptime()) })
    }

    private static func weigh(
        _ stored: StoreClockRecord,
        _ state: inout State,
        wall: Timestamp,
        steady: Duration
    ) -> Transition? {
        let before = state.stored
        state.stored = stored
        func believe() -> Transition? {
            state.base = (wall, steady)
            defer { state.doubt = nil }
            return state.doubt == nil ? nil : .believed
        }
        if let before, stored.confirmations > before.confirmations { return believe() }
        let isBehind = stored.seenAt.since(wall) > tolerance
        guard var doubt = state.doubt else {
            if isBehind {
                let lead = wall.since(stored.time)
                state.base = (stored.time, steady)
                state.doubt = Doubt(since: steady, lead: lead, origin: .otherNode)
                return .doubted(lead)
            }
            if steady - state.base.steady > rebasing { return believe() }
            return nil
        }
        // Another node counts ahead of this one.
        let counted = state.base.wall.advanced(by: steady - state.base.steady)
        if stored.time > counted {
            doubt.lead -= stored.time.since(counted)
            state.base = (stored.time, steady)
        }
        let lead = Self.lead(of: wall, over: state, at: steady)
        // Only nodes whose clocks are believed move the store's time, so that others are here when it has moved.
        if let before, stored.seenAt > before.seenAt {
            if !isBehind, wall.since(stored.seenAt) <= tolerance { return believe() }
            doubt.since = steady
        } else if isBehind {
            doubt.since = steady
        } else if !isJump(lead) {
            return believe()
        } else if isJump(lead - doubt.lead) {
            (doubt.since, doubt.lead) = (steady, lead)
            if doubt.origin == .otherNode { doubt.origin = .jump }
        } else if doubt.origin == .otherNode {
            // The other node is gone, and this one's clock has passed what it said without a jump of its own.
            return believe()
        } else if doubt.origin == .start, doubt.lead > .zero, doubt.lead <= longestPause,
            steady - doubt.since >= min(doubt.lead, longestStep)
        {
            return believe()
        }
        state.doubt = doubt
        return nil
    }

    private static func lead(of wall: Timestamp, over state: State, at steady: Duration) -> Duration {
        wall.since(state.base.wall) - (steady - state.base.steady)
    }

    private static func isJump(_ lead: Duration) -> Bool { lead > tolerance || lead < .zero - tolerance }

    private func report(_ change: Transition?) {
        switch change {
        case .doubted(let lead):
            logger.warning(
                "the system's clock jumped; nothing is removed until it is right again, or `postern clock confirm` says that it is",
                metadata: ["seconds": "\(lead.components.seconds)"]
            )
        case .believed: logger.notice("the system's clock is believed again")
        case nil: break
        }
    }
}

extension Timestamp {
    /// The time from another one to this one, negative when that is later.
    fileprivate func since(_ other: Timestamp) -> Duration { .milliseconds(milliseconds - other.milliseconds) }
}
