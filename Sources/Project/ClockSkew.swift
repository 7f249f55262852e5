/// The most that two clocks may differ when their times are compared.
package enum ClockSkew {
    /// For the clock of another party (`Docs/Contract/rulings.md` 3). A larger difference is not explained by clocks.
    package static let limit = Duration.seconds(60)

    /// For the clocks of nodes that share a store (threat case OPS-11).
    package static let betweenNodes = Duration.seconds(5)
}

extension Timestamp {
    /// This time, or the later one that a node with a faster clock has stored.
    ///
    /// An event that follows another is never dated before it, even when the other node's clock was ahead. A stored time that
    /// lies further ahead than ``ClockSkew/limit`` is ignored.
    package func notBefore(_ stored: Timestamp?) -> Timestamp {
        guard let stored, self < stored, stored <= advanced(by: ClockSkew.limit) else { return self }
        return stored
    }

    /// The same as ``notBefore(_:)``, for a time in whole seconds.
    package func notBefore(seconds stored: Int64?) -> Timestamp { notBefore(stored.map(Timestamp.init(seconds:))) }
}
