package import Project

/// What the store knows of the time.
package struct StoreClockRecord: Sendable, Hashable {
    /// When a node whose clock was believed was last here.
    package let seenAt: Timestamp
    /// How often an operator has confirmed the system's clock.
    package let confirmations: Int64

    package init(seenAt: Timestamp, confirmations: Int64) {
        self.seenAt = seenAt
        self.confirmations = confirmations
    }
}

extension Transaction {
    /// What the store knows of the time; `nil` before any node was here.
    ///
    /// - Throws: `StorageError`.
    package func storeClock() throws -> StoreClockRecord? {
        try queryOne("SELECT seen_at, confirmations FROM store_clock WHERE name = 'store'").map { row in
            StoreClockRecord(seenAt: try row.timestamp("seen_at"), confirmations: try row.integer("confirmations"))
        }
    }

    /// Notes that a node whose clock is believed was here. The time only goes forward.
    ///
    /// - Throws: `StorageError`.
    package func noteStoreClock(at time: Timestamp) throws {
        try execute(
            """
            INSERT INTO store_clock (name, seen_at, confirmations) VALUES ('store', \(time.milliseconds), 0)
            ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at WHERE store_clock.seen_at < excluded.seen_at
            """
        )
    }

    /// Sets the time as an operator says, also back.
    ///
    /// - Throws: `StorageError`.
    package func confirmStoreClock(at time: Timestamp) throws {
        try execute(
            """
            INSERT INTO store_clock (name, seen_at, confirmations) VALUES ('store', \(time.milliseconds), 1)
            ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at, confirmations = store_clock.confirmations + 1
            """
        )
    }
}
