import Project
package import Settings
import Storage
package import Tokens

/// How long each class of audit records stays, and how a chain survives that its oldest records go.
package struct AuditRetention: Sendable {
    private let stays: [AuditClass: Duration]
    private let signer: AuditSigner

    // Chains that are looked at in vain in one batch.
    private static let mostPassed = 100

    /// What a batch did: how many records it removed, and which chains it left alone because somebody else had changed them.
    struct Outcome {
        var removed = 0
        var blocked: [AuditChainKey] = []
    }

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
    /// - Returns: What was removed; fewer than `limit` when no others are old.
    /// - Throws: `StorageError`.
    func remove(_ recordClass: AuditClass, at now: Timestamp, limit: Int, in transaction: any Transaction) throws -> Outcome {
        var outcome = Outcome()
        guard let duration = stays[recordClass] else { return outcome }
        var passed: [AuditChainKey] = []
        while outcome.removed < limit, passed.count < Self.mostPassed {
            let oldest = now - duration
            guard let key = try transaction.chainOfOldestAuditRow(inClass: recordClass.rawValue, before: oldest, except: passed)
            else {
                break
            }
            let count = try cut(key, before: oldest, at: now, limit: limit - outcome.removed, in: transaction)
            if count == nil { outcome.blocked.append(key) }
            if count ?? 0 == 0 { passed.append(key) }
            outcome.removed += count ?? 0
        }
        return outcome
    }

    // How many records of a chain went; `nil` when the chain is not as this service left it.

    private func cut(
        _ key: AuditChainKey,
        before oldest: Timestamp,
        at now: Timestamp,
        limit: Int,
        in transaction: any Transaction
    ) throws -> Int? {
        guard var ends = try AuditEndsCheck(signer: signer).continuable(key, in: transaction) else { return nil }
        let rows = try transaction.chainedAuditRows(key, after: (ends.cutSeq, ""), limit: limit)
        // Nodes' clocks differ a little, so that a younger record may have an earlier place. The older ones behind it wait for it.
        for row in rows.prefix(while: { $0.event.occurredAt < oldest }) {
            // What is signed away must be what was there: a time that was altered, too, changes the hash.
            guard row.seq == ends.cutSeq + 1, row.hash == AuditHash.of(row, in: key, seq: row.seq, previous: ends.cutHash) else {
                return nil
            }
            (ends.cutSeq, ends.cutHash) = (row.seq, row.hash)
        }
        guard let last = rows.first, ends.cutSeq >= last.seq else { return 0 }
        let cut = AuditCheckpoint(.cut, of: key, seq: ends.cutSeq, hash: ends.cutHash, at: now)
        ends.cutCheckpoint = try signer.sign(cut.statement)
        try transaction.storeAuditChain(ends)
        return try transaction.deleteChainedAuditRows(key, through: ends.cutSeq)
    }
}
