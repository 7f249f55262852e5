import Project

/// Detects jumps of the system's clock, which affect tokens, codes and counts (threat case OPS-03).
struct ClockWatch {
    private var last: (wall: Timestamp, steady: ContinuousClock.Instant)?

    private static let tolerance = Duration.seconds(60)

    /// Looks at both clocks.
    ///
    /// - Parameters:
    ///   - wall: The time of day.
    ///   - steady: A monotonic clock.
    /// - Returns: By how many seconds the first was moved since the last look, negative when back; `nil` when by a minute or less.
    mutating func jump(wall: Timestamp, steady: ContinuousClock.Instant) -> Int64? {
        defer { last = (wall, steady) }
        guard let last else { return nil }
        let moved = .milliseconds(wall.milliseconds - last.wall.milliseconds) - (steady - last.steady)
        return abs(moved / .seconds(1)) > Self.tolerance / .seconds(1) ? moved.components.seconds : nil
    }
}
