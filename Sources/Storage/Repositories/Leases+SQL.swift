package import Project

extension Transaction {
    /// Takes or renews a lease. One node holds it while it works for all nodes.
    ///
    /// - Parameters:
    ///   - holder: The node, with a different name on each node.
    ///   - expiresAt: After that, and the most that two clocks may differ, another node may take it.
    package func takeLease(_ name: String, holder: String, at time: Timestamp, until expiresAt: Timestamp) throws -> Bool {
        // The clock of the current holder may be behind.
        let ended = time - ClockSkew.betweenNodes
        let isRenewed = try execute(
            """
            UPDATE leases SET holder = \(holder), expires_at = \(expiresAt)
            WHERE name = \(name) AND (holder = \(holder) OR expires_at <= \(ended))
            """
        )
        if isRenewed > 0 { return true }
        return try execute(
            """
            INSERT INTO leases (name, holder, expires_at) VALUES (\(name), \(holder), \(expiresAt))
            ON CONFLICT (name) DO NOTHING
            """
        ) > 0
    }
}
