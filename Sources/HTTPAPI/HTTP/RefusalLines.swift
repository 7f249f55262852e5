import Project

/// Bounds how many lines a second the log has for refused requests, so that a flood of them fills no disk and hides no other line (threat
/// case RES-16). How many were left out is said with the first line of a later second.
final class RefusalLines: Sendable {
    /// The most lines of one second.
    static let perSecond = 100

    private let state = LockedState(State())

    private struct State {
        var second: Int64 = .min
        var lines = 0
        var leftOut = 0
    }

    /// Decides about one more line.
    ///
    /// - Returns: Whether the line is written, and how many of earlier seconds were left out and are to be told.
    func admit(at time: Timestamp) -> (isTold: Bool, leftOut: Int) {
        state.withLock { state in
            var leftOut = 0
            if state.second != time.seconds {
                leftOut = state.leftOut
                state = State(second: time.seconds)
            }
            state.lines += 1
            guard state.lines > Self.perSecond else { return (true, leftOut) }
            state.leftOut += 1
            return (false, leftOut)
        }
    }
}
