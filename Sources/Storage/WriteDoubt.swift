import Project

/// Remembers that a write failed, until a probe has shown that the store takes writes (threat case OPS-02).
///
/// Reads go on while a disk is full, a file may only be read or another process holds its lock: whoever only read would call such a
/// store good.
struct WriteDoubt: Sendable {
    private struct State {
        /// How many writes have failed since the store was last known to be good.
        var failures = 0
        var isProbing = false
    }

    private let state = LockedState(State())

    // Who asks whether the store is good wants to know soon; a probe may wait for a lock much longer.
    private static let patience = Duration.seconds(1)
    private static let pause = Duration.milliseconds(20)

    /// Runs a write, and remembers whether it failed for another reason than its content.
    ///
    /// - Throws: What the write throws.
    func watching<T: Sendable>(_ write: () async throws -> T) async throws -> T {
        do {
            return try await write()
        } catch let error as StorageError {
            switch error {
            case .uniqueViolation, .foreignKeyViolation, .decoding, .closed: break
            default: state.withLock { $0.failures += 1 }
            }
            throw error
        }
    }

    /// After a failed write, writes something. One probe runs at a time, and answers everybody who asks meanwhile.
    ///
    /// - Parameter database: The store, whose writes are watched.
    /// - Throws: ``StorageError/busy`` when that fails too, or takes longer than a second.
    func settle(in database: any Database) async throws {
        let (isGood, starts) = state.withLock { state in
            let starts = state.failures > 0 && !state.isProbing
            if starts { state.isProbing = true }
            return (state.failures == 0, starts)
        }
        if isGood { return }
        if starts { Task { await probe(database) } }
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline {
            try await Task.sleep(for: Self.pause)
            let now = state.withLock { $0 }
            if now.failures == 0 { return }
            if !now.isProbing { break }
        }
        throw StorageError.busy
    }

    private func probe(_ database: any Database) async {
        let seen = state.withLock { $0.failures }
        let isGood = (try? await database.write { try $0.probe() }) != nil
        state.withLock { state in
            state.isProbing = false
            // What failed meanwhile may have failed after the probe.
            if isGood, state.failures == seen { state.failures = 0 }
        }
    }
}

extension Transaction {
    /// More than a sign-in writes, so that it does not fit where one did not.
    private static var probeLength: Int { 1 << 16 }

    /// Changes a row that means nothing. It differs each time: SQLite writes no page that stays as it was.
    fileprivate func probe() throws {
        let old = try queryOne("SELECT holder FROM leases WHERE name = 'probe'")?.text("holder")
        let text = String(repeating: old?.first == "0" ? "1" : "0", count: Self.probeLength)
        try execute(
            """
            INSERT INTO leases (name, holder, expires_at) VALUES ('probe', \(text), 0)
            ON CONFLICT (name) DO UPDATE SET holder = \(text)
            """
        )
    }
}
