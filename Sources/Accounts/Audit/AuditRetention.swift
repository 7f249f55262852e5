import Project
package import Settings
package import Storage
package import Tokens

/// How long each class of audit records stays, and how a chain survives that its oldest records go.
package struct AuditRetention: Sendable {
    private let stays: [AuditClass: Duration]
    private let signer: AuditSigner

    // Chains that are looked at in vain in one batch.
    private static let mostPassed = 400
    private static let page = 500
    // A chain is cut an hour after its oldest record is due, so that the records of removals stay few.
    private static let patience = Duration.seconds(3600)
    // Records that are hashed to find a signed one. The sequencer signs every two hundredth at the latest, and the last one before a gap of a day.
    private static let pages = 20

    /// What a batch did: how many records it removed, and which chains it left alone because somebody else had changed them.
    struct Outcome {
        var removed = 0
        var blocked: [AuditChainKey] = []
    }

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
    /// removal by anybody else shows, and a record says which records went, and when. Records without a place stay.
    ///
    /// - Returns: What was removed, a page more than `limit` at most.
    func remove(_ recordClass: AuditClass, at now: Timestamp, limit: Int, in transaction: Transaction) throws -> Outcome {
        var outcome = Outcome()
        guard let duration = stays[recordClass] else { return outcome }
        var passed: [AuditChainKey] = []
        while outcome.removed < limit, passed.count < Self.mostPassed {
            let oldest = now - duration
            let due = oldest - Self.patience
            guard let key = try transaction.chainOfOldestAuditRow(inClass: recordClass.rawValue, before: due, except: passed)
            else {
                break
            }
            let count = try cut(key, before: oldest, at: now, in: transaction)
            if count == nil { outcome.blocked.append(key) }
            if count ?? 0 == 0 { passed.append(key) }
            outcome.removed += count ?? 0
        }
        return outcome
    }

    // Removes a page of old records of a chain or so. How many went; `nil` when the chain is not as this service left it.
    private func cut(
        _ key: AuditChainKey,
        before oldest: Timestamp,
        at now: Timestamp,
        in transaction: Transaction
    ) throws -> Int? {
        let check = AuditEndsCheck(signer: signer)
        guard var ends = try check.continuable(key, in: transaction) else { return nil }
        var (walked, signed) = ((seq: ends.cutSeq, hash: ends.cutHash), (seq: ends.cutSeq, hash: ends.cutHash))
        // Records at or before the cut were put there by somebody else, and end the walk at once.
        var last = AuditRow.beforeAll
        pages: for _ in 0..<Self.pages {
            let rows = try transaction.chainedAuditRows(key, after: last, limit: Self.page)
            for (row, time) in zip(rows, Self.times(of: rows, at: now)) {
                // A younger record may have an earlier place. The older ones behind it wait for it.
                guard time < oldest else { break pages }
                // A row that was altered has another hash, also where only its time was.
                guard row.seq == walked.seq + 1, row.seq <= ends.headSeq,
                    row.hash == AuditHash.of(row, in: key, seq: row.seq, previous: walked.hash)
                else { return nil }
                walked = (row.seq, row.hash)
                // Hashes can be made anew by anybody, so that only a signed record ends what is removed.
                if check.isSigned(row, in: key) { signed = walked }
                last = (row.seq, row.event.eventID)
            }
            if signed.seq > ends.cutSeq || rows.count < Self.page { break }
        }
        guard signed.seq > ends.cutSeq else { return 0 }
        try record(key, from: ends.cutSeq + 1, through: signed, at: now, in: transaction)
        (ends.cutSeq, ends.cutHash) = signed
        let cut = AuditCheckpoint(.cut, of: key, seq: ends.cutSeq, hash: ends.cutHash, at: now)
        ends.cutCheckpoint = try signer.sign(cut.statement)
        try transaction.storeAuditChain(ends)
        return try transaction.deleteChainedAuditRows(key, through: ends.cutSeq)
    }

    // What went is a record of its own, which outlives it, so that a removal with a wrong clock shows in the trail.
    private func record(
        _ key: AuditChainKey,
        from first: Int64,
        through last: (seq: Int64, hash: String),
        at now: Timestamp,
        in transaction: Transaction
    ) throws {
        let name = [key.scope.projectID, key.scope.tenantKey, key.recordClass, String(last.seq), last.hash].joined(separator: "/")
        let event = AuditEvent(
            eventID: hexadecimal(sha256(name.utf8).prefix(10)),
            occurredAt: now,
            event: .auditRecordsDeleted,
            localID: nil,
            actor: "retention",
            address: nil,
            detail: [
                "class": .string(key.recordClass), "from": .integer(first), "through": .integer(last.seq),
                "hash": .string(last.hash),
            ]
        )
        try transaction.insertAuditEvent(key.scope, event)
    }

    // When the records were made. A time to come is that of a clock that was ahead: such a record is as old as the oldest one behind it.
    private static func times(of rows: [AuditRow], at now: Timestamp) -> [Timestamp] {
        let latest = now.advanced(by: ClockSkew.limit)
        var (times, oldest) = ([Timestamp](), Timestamp(milliseconds: .max))
        for row in rows.reversed() {
            let time = row.event.occurredAt > latest ? min(row.event.occurredAt, oldest) : row.event.occurredAt
            oldest = min(oldest, time)
            times.append(time)
        }
        return times.reversed()
    }
}
