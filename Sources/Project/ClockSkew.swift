/// How far clocks may be apart that are compared with each other.
package enum ClockSkew {
    /// The clock of another party, and the most that any time of another clock counts (`contract/rulings.md` 3).
    package static let limit = Duration.seconds(60)

    /// The clocks of nodes that share a store (threat case OPS-11).
    package static let betweenNodes = Duration.seconds(5)
}

extension Timestamp {
    /// This time, or the later one that a node with a faster clock has stored.
    ///
    /// What begins after another event is never dated before it, although the other node's clock was ahead. A time that lies further
    /// ahead than ``ClockSkew/limit`` is no matter of clocks and does not count.
    ///
    /// - Parameter stored: The time of the earlier event; `nil` where there was none.
    /// - Returns: The later of both.
    package func notBefore(_ stored: Timestamp?) -> Timestamp {
        guard let stored, self < stored, stored <= advanced(by: ClockSkew.limit) else { return self }
        return stored
    }

    /// As ``notBefore(_:)``, for a time in whole seconds.
    package func notBefore(seconds stored: Int64?) -> Timestamp { notBefore(stored.map(Timestamp.init(seconds:))) }
}
