import Project

/// Remembers that a write failed, until a probe has shown that the store takes writes (threat case OPS-02).
///
/// Reads go on while a disk is full, a file may only be read or another process holds its lock: whoever only read would call such a
/// store good.
struct WriteDoubt: Sendable {
    /// How many writes have failed since the store was last known to be good.
    private let failures = LockedState(0)

    /// Runs a write, and remembers whether it failed for another reason than its content.
    ///
    /// - Throws: What the write throws.
    func watching<T: Sendable>(_ write: () async throws -> T) async throws -> T {
        do {
            return try await write()
        } catch let error as StorageError {
            switch error {
            case .uniqueViolation, .foreignKeyViolation, .decoding, .closed: break
            default: failures.withLock { $0 += 1 }
            }
            throw error
        }
    }

    /// After a failed write, writes something.
    ///
    /// - Parameter database: The store, whose writes are watched.
    /// - Throws: ``StorageError`` when that fails too.
    func settle(in database: any Database) async throws {
        let seen = failures.withLock { $0 }
        guard seen > 0 else { return }
        try await database.write { try $0.probe() }
        // What failed meanwhile may have failed after the probe.
        failures.withLock { failures in if failures == seen { failures = 0 } }
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
