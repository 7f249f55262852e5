package import Project

/// What the store knows of the time.
package struct StoreClockRecord: Sendable, Hashable {
    /// When a node whose clock was believed was last here.
    package let seenAt: Timestamp
    /// How far the time has gone by which nodes count that do not believe their clocks.
    package let steadyAt: Timestamp
    /// How often an operator has confirmed the system's clock.
    package let confirmations: Int64

    package init(seenAt: Timestamp, steadyAt: Timestamp, confirmations: Int64) {
        self.seenAt = seenAt
        self.steadyAt = steadyAt
        self.confirmations = confirmations
    }

    /// The time by which events are counted, as the store knows it.
    package var time: Timestamp { max(seenAt, steadyAt) }
}

extension Transaction {
    /// What the store knows of the time; `nil` before any node was here.
    package func storeClock() throws -> StoreClockRecord? {
        try queryOne("SELECT seen_at, steady_at, confirmations FROM store_clock WHERE name = 'store'").map { row in
            StoreClockRecord(
                seenAt: try row.timestamp("seen_at"),
                steadyAt: try row.timestamp("steady_at"),
                confirmations: try row.integer("confirmations")
            )
        }
    }

    /// Notes that a node whose clock is believed was here. The time only goes forward.
    package func noteStoreClock(at time: Timestamp) throws {
        try execute(
            """
            INSERT INTO store_clock (name, seen_at, steady_at, confirmations)
            VALUES ('store', \(time), \(time), 0)
            ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at, steady_at = excluded.steady_at
            WHERE store_clock.seen_at < excluded.seen_at
            """
        )
    }

    /// Notes how far a node counts that does not believe its clock. The time only goes forward, and an operator's word that the node has not
    /// heard yet stays.
    ///
    /// - Parameters:
    ///   - time: The time by which the node counts.
    ///   - confirmations: The confirmations that the node knows of.
    package func noteSteadyTime(_ time: Timestamp, confirmations: Int64) throws {
        try execute(
            """
            UPDATE store_clock SET steady_at = \(time)
            WHERE name = 'store' AND confirmations = \(confirmations) AND steady_at < \(time)
            """
        )
    }

    /// Sets the time as an operator says, also back.
    package func confirmStoreClock(at time: Timestamp) throws {
        try execute(
            """
            INSERT INTO store_clock (name, seen_at, steady_at, confirmations)
            VALUES ('store', \(time), \(time), 1)
            ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at, steady_at = excluded.steady_at,
                confirmations = store_clock.confirmations + 1
            """
        )
    }
}
