package import Project

extension Transaction {
    /// Takes or renews a lease: what one node does for all, it does while it holds one.
    ///
    /// - Parameters:
    ///   - name: The work.
    ///   - holder: Who asks, different on each node.
    ///   - time: Now.
    ///   - expiresAt: Until when; after that, and what two clocks may differ by, another node may take it.
    /// - Returns: Whether `holder` holds it now.
    /// - Throws: `StorageError`.
    package func takeLease(_ name: String, holder: String, at time: Timestamp, until expiresAt: Timestamp) throws -> Bool {
        // The holder's clock may be behind the asker's.
        let ended = time - ClockSkew.betweenNodes
        let isRenewed = try execute(
            """
            UPDATE leases SET holder = \(holder), expires_at = \(expiresAt.milliseconds)
            WHERE name = \(name) AND (holder = \(holder) OR expires_at <= \(ended.milliseconds))
            """
        )
        if isRenewed > 0 { return true }
        return try execute(
            """
            INSERT INTO leases (name, holder, expires_at) VALUES (\(name), \(holder), \(expiresAt.milliseconds))
            ON CONFLICT (name) DO NOTHING
            """
        ) > 0
    }
}
