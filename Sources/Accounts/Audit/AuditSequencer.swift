package import Project
package import Storage
package import Tokens

/// Gives audit records their places in the chains, on one node at a time.
///
/// Writers of records know nothing of chains, so that none waits for another. A record gets its place once nothing is counted on it any
/// more: an act of an administrator at once, others after two minutes. From then on it never changes.
package struct AuditSequencer: Sendable {
    private let database: any Database
    private let environment: ServerEnvironment
    private let signer: AuditSigner
    private let holder: String

    private static let lease = "auditChain"
    private static let leaseTime = Duration.seconds(120)
    private static let batch = 200
    // Twice the time within which equal events are counted on one record.
    private static let settling = Duration.seconds(120)

    /// - Parameters:
    ///   - database: Has the audit trail.
    ///   - environment: The clock.
    ///   - signer: Signs the last record of each chain.
    package init(database: any Database, environment: ServerEnvironment, signer: AuditSigner) {
        self.database = database
        self.environment = environment
        self.signer = signer
        holder = environment.randomText(length: 20)
    }

    /// Gives places to all records that are due, unless another node does.
    ///
    /// - Parameter shouldStop: Called between batches; `true` stops.
    /// - Returns: How many records got a place; `nil` when another node is at it.
    /// - Throws: `StorageError`.
    @discardableResult
    package func run(shouldStop: () -> Bool = { false }) async throws -> Int? {
        var placed = 0
        while !shouldStop() {
            let due = environment.now() - Self.settling
            // An idle node writes nothing, not even the lease.
            guard try await database.read({ try !$0.unchainedAuditRows(closedBefore: due, limit: 1).isEmpty }) else { break }
            guard let count = try await place(before: due) else { return placed == 0 ? nil : placed }
            placed += count
            if count < Self.batch { break }
        }
        return placed
    }

    private func place(before due: Timestamp) async throws -> Int? {
        let (now, holder, signer) = (environment.now(), holder, signer)
        return try await database.write { transaction -> Int? in
            let until = now.advanced(by: Self.leaseTime)
            guard try transaction.takeLease(Self.lease, holder: holder, at: now, until: until) else { return nil }
            let rows = try transaction.unchainedAuditRows(closedBefore: due, limit: Self.batch)
            var chains: [AuditChainKey: AuditChainEnds] = [:]
            for row in rows {
                let key = AuditChainKey(scope: row.scope, recordClass: AuditClass(row.event).rawValue)
                var ends = try chains[key] ?? transaction.auditChain(key) ?? .empty(key)
                ends.headSeq += 1
                ends.headHash = AuditHash.of(row, in: key, seq: ends.headSeq, previous: ends.headHash)
                try transaction.chainAuditRow(row.event.eventID, in: key.recordClass, seq: ends.headSeq, hash: ends.headHash)
                chains[key] = ends
            }
            for (key, ends) in chains {
                var ends = ends
                let head = AuditCheckpoint(.head, of: key, seq: ends.headSeq, hash: ends.headHash, at: now)
                ends.headCheckpoint = try signer.sign(head.statement)
                try transaction.storeAuditChain(ends)
            }
            return rows.count
        }
    }
}

extension AuditChainEnds {
    /// A chain before its first record.
    fileprivate static func empty(_ key: AuditChainKey) -> AuditChainEnds {
        AuditChainEnds(
            key: key,
            headSeq: 0,
            headHash: AuditHash.first,
            headCheckpoint: "",
            cutSeq: 0,
            cutHash: AuditHash.first
        )
    }
}
