/// Lets a line be logged once in each interval, and counts those that are left out.
struct LogThrottle: Sendable {
    let interval: Duration
    private var lastLine: ContinuousClock.Instant?
    private var leftOut = 0

    init(interval: Duration) { self.interval = interval }

    /// Asks whether a line is logged.
    ///
    /// - Returns: How many were left out since the last one; `nil` if this one is left out, too.
    mutating func admit(at now: ContinuousClock.Instant) -> Int? {
        if let lastLine, now - lastLine < interval {
            leftOut += 1
            return nil
        }
        defer { (lastLine, leftOut) = (now, 0) }
        return leftOut
    }
}
