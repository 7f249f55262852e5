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
    // Where the next look begins, so that waiting records of blocked chains do not hide those of others.
    private let position = LockedState<AuditRow?>(nil)
    private let blocked = BlockedAuditChains(during: "chaining")

    private static let lease = "auditChain"
    private static let leaseTime = Duration.seconds(120)
    private static let batch = 200
    private static let pages = 10
    // Bounds one run, because the same task also takes up changed keys.
    private static let rounds = 50
    // Twice the time within which equal events are counted on one record.
    private static let settling = Duration.seconds(120)

    package init(database: any Database, environment: ServerEnvironment, signer: AuditSigner) {
        self.database = database
        self.environment = environment
        self.signer = signer
        holder = environment.randomText(length: 20)
    }

    /// Gives places to records that are due, unless another node does: to all of them, or to those of many batches.
    ///
    /// - Returns: How many records got a place; `nil` when another node is at it.
    @discardableResult
    package func sequence(shouldStop: () -> Bool = { false }) async throws -> Int? {
        var placed = 0
        for _ in 0..<Self.rounds where !shouldStop() {
            let due = environment.now() - Self.settling
            // An idle node writes nothing, not even the lease.
            guard try await database.read({ try !$0.unchainedAuditRows(closedBefore: due, limit: 1).isEmpty }) else { break }
            guard let round = try await place(before: due) else { return placed == 0 ? nil : placed }
            placed += round.placed
            position.withLock { $0 = round.next }
            blocked.report(round.blocked, environment)
            // A round that placed nothing met blocked chains only. The next run goes on behind them.
            if round.isLast || round.placed == 0 { break }
        }
        return placed
    }

    /// What one transaction did.
    private struct Round {
        var placed = 0
        var blocked: [AuditChainKey] = []
        /// The record after which the next round looks; `nil` for the oldest one.
        var next: AuditRow?
        /// Whether there are no further records.
        var isLast = false
    }

    private func place(before due: Timestamp) async throws -> Round? {
        let (now, holder, signer, start) = (environment.now(), holder, signer, position.withLock { $0 })
        return try await database.write { transaction -> Round? in
            let until = now.advanced(by: Self.leaseTime)
            guard try transaction.takeLease(Self.lease, holder: holder, at: now, until: until) else { return nil }
            var chains = OpenChains(check: AuditEndsCheck(signer: signer))
            var round = Round(next: start)
            for _ in 0..<Self.pages where round.placed == 0 && !round.isLast {
                let rows = try transaction.unchainedAuditRows(closedBefore: due, after: round.next, limit: Self.batch)
                for row in rows where try chains.append(row, in: transaction) { round.placed += 1 }
                round.isLast = rows.count < Self.batch
                round.next = round.isLast || chains.blocked.isEmpty ? nil : rows.last
            }
            round.blocked = Array(chains.blocked)
            try chains.store(signer, at: now, in: transaction)
            return round
        }
    }
}

/// The chains that get records in one transaction.
private struct OpenChains {
    let check: AuditEndsCheck
    private(set) var blocked: Set<AuditChainKey> = []
    private var open: [AuditChainKey: End] = [:]
    // Ends that others followed, and that are signed nevertheless.
    private var passed: [End] = []

    // Retention removes records up to a signed one, so that none may be followed by one of another day.
    private static let longestGap = Duration.seconds(86_400)

    /// A chain up to a record that got its place.
    private struct End {
        var ends: AuditChainEnds
        let row: AuditRow
    }

    init(check: AuditEndsCheck) { self.check = check }

    /// Gives a record the next place of its chain.
    ///
    /// - Returns: Whether it got one; not in a chain that somebody else changed.
    mutating func append(_ row: AuditRow, in transaction: Transaction) throws -> Bool {
        let key = AuditChainKey(scope: row.scope, recordClass: AuditClass(row.event).rawValue)
        guard !blocked.contains(key) else { return false }
        guard var ends = try open[key]?.ends ?? check.continuable(key, in: transaction) else {
            blocked.insert(key)
            return false
        }
        if let end = open[key], row.event.occurredAt - Self.longestGap >= end.row.event.occurredAt { passed.append(end) }
        ends.headSeq += 1
        ends.headHash = AuditHash.of(row, in: key, seq: ends.headSeq, previous: ends.headHash)
        try transaction.chainAuditRow(row.event.eventID, in: key.recordClass, seq: ends.headSeq, hash: ends.headHash)
        open[key] = End(ends: ends, row: row)
        return true
    }

    /// Stores the signed ends of the chains. A record keeps the signature that it got as an end.
    func store(_ signer: AuditSigner, at now: Timestamp, in transaction: Transaction) throws {
        func sign(_ end: End) throws -> String {
            let ends = end.ends
            let place = AuditCheckpoint(.head, of: ends.key, seq: ends.headSeq, hash: ends.headHash, at: now)
            let checkpoint = try signer.sign(place.statement)
            try transaction.signAuditRow(end.row.event.eventID, checkpoint: checkpoint)
            return checkpoint
        }
        for end in passed { _ = try sign(end) }
        for end in open.values {
            var ends = end.ends
            ends.headCheckpoint = try sign(end)
            try transaction.storeAuditChain(ends)
        }
    }
}
