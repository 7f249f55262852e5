package import Project
package import Storage
package import Tokens

/// Gives audit records their places in the chains, on one node at a time.
///
/// A chain whose end is not the one that was signed is left alone, and an error in the log says so.
///
/// Writers of records know nothing of chains, so that none waits for another. A record gets its place once nothing is counted on it any
/// more: an act of an administrator at once, others after two minutes. From then on it never changes.
package struct AuditSequencer: Sendable {
    private let database: any Database
    private let environment: ServerEnvironment
    private let signer: AuditSigner
    private let holder: String
    private let blocked = BlockedAuditChains()

    private static let lease = "auditChain"
    private static let leaseTime = Duration.seconds(120)
    private static let batch = 200
    private static let pages = 10
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
        let outcome = try await database.write { transaction -> (placed: Int, blocked: [AuditChainKey])? in
            let until = now.advanced(by: Self.leaseTime)
            guard try transaction.takeLease(Self.lease, holder: holder, at: now, until: until) else { return nil }
            let check = AuditEndsCheck(signer: signer)
            var chains: [AuditChainKey: AuditChainEnds] = [:]
            var blocked: Set<AuditChainKey> = []
            var last: AuditRow?
            // Records of a blocked chain stay before others in the order of time.
            for _ in 0..<Self.pages {
                let rows = try transaction.unchainedAuditRows(closedBefore: due, after: last, limit: Self.batch)
                var placed = 0
                for row in rows {
                    let key = AuditChainKey(scope: row.scope, recordClass: AuditClass(row.event).rawValue)
                    guard !blocked.contains(key) else { continue }
                    guard var ends = try chains[key] ?? check.continuable(key, in: transaction) else {
                        blocked.insert(key)
                        continue
                    }
                    ends.headSeq += 1
                    ends.headHash = AuditHash.of(row, in: key, seq: ends.headSeq, previous: ends.headHash)
                    try transaction.chainAuditRow(row.event.eventID, in: key.recordClass, seq: ends.headSeq, hash: ends.headHash)
                    chains[key] = ends
                    placed += 1
                }
                last = rows.last
                guard placed == 0, rows.count == Self.batch else {
                    try Self.store(chains.values, signer, at: now, in: transaction)
                    return (placed, Array(blocked))
                }
            }
            return (0, Array(blocked))
        }
        guard let outcome else { return nil }
        blocked.report(outcome.blocked, environment.logger)
        return outcome.placed
    }

    private static func store(
        _ chains: some Sequence<AuditChainEnds>,
        _ signer: AuditSigner,
        at now: Timestamp,
        in transaction: any Transaction
    ) throws {
        for var ends in chains {
            let head = AuditCheckpoint(.head, of: ends.key, seq: ends.headSeq, hash: ends.headHash, at: now)
            ends.headCheckpoint = try signer.sign(head.statement)
            try transaction.storeAuditChain(ends)
        }
    }
}
