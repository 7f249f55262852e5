import Project
package import Settings
import Storage
package import Tokens

/// How long each class of audit records stays, and how a chain survives that its oldest records go.
package struct AuditRetention: Sendable {
    private let stays: [AuditClass: Duration]
    private let signer: AuditSigner

    /// What the settings say.
    ///
    /// - Parameters:
    ///   - limits: `limits.auditDays` and `limits.auditDaysByClass.*`.
    ///   - signer: Signs where a chain was cut.
    package init(_ limits: LimitSettings, signer: AuditSigner) {
        let days = limits.auditDaysByClass
        self.init(
            stays: [
                .signIn: .seconds(86_400 * days.signIn), .refusal: .seconds(86_400 * days.refusal),
                .account: .seconds(86_400 * days.account), .administration: .seconds(86_400 * days.administration),
            ],
            signer: signer
        )
    }

    package init(stays: [AuditClass: Duration], signer: AuditSigner) {
        self.stays = stays
        self.signer = signer
    }

    /// Removes the oldest records of a class, in one small batch. A signed statement says up to which record of a chain, so that a
    /// removal by anybody else shows. Records without a place stay.
    ///
    /// - Parameters:
    ///   - recordClass: The class.
    ///   - now: The current time.
    ///   - limit: How many records at most.
    ///   - transaction: The transaction.
    /// - Returns: How many were removed; fewer than `limit` when no others are old.
    /// - Throws: `StorageError`.
    func remove(_ recordClass: AuditClass, at now: Timestamp, limit: Int, in transaction: any Transaction) throws -> Int {
        guard let duration = stays[recordClass] else { return 0 }
        var removed = 0
        while removed < limit {
            let count = try cut(recordClass, before: now - duration, at: now, limit: limit - removed, in: transaction)
            if count == 0 { break }
            removed += count
        }
        return removed
    }

    // Cuts the chain that has the oldest record.
    private func cut(
        _ recordClass: AuditClass,
        before oldest: Timestamp,
        at now: Timestamp,
        limit: Int,
        in transaction: any Transaction
    ) throws -> Int {
        guard let key = try transaction.chainOfOldestAuditRow(inClass: recordClass.rawValue, before: oldest),
            var ends = try transaction.auditChain(key)
        else { return 0 }
        let rows = try transaction.chainedAuditRows(key, after: (ends.cutSeq, ""), limit: limit)
        // Nodes' clocks differ a little, so that a younger record may have an earlier place. The older ones behind it wait for it.
        guard let last = rows.prefix(while: { $0.event.occurredAt < oldest }).last else { return 0 }
        ends.cutSeq = last.seq
        ends.cutHash = last.hash
        let cut = AuditCheckpoint(.cut, of: key, seq: last.seq, hash: last.hash, at: now)
        ends.cutCheckpoint = try signer.sign(cut.statement)
        try transaction.storeAuditChain(ends)
        return try transaction.deleteChainedAuditRows(key, through: last.seq)
    }
}
