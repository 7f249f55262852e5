package import Project
package import Storage
package import Tokens

/// Signs the ends of all chains with a new key. Only ends that the former key signed get the new signature.
package struct AuditResealing: Sendable {
    private let database: any Database
    private let signer: AuditSigner
    private let now: @Sendable () -> Timestamp

    private static let page = 200

    package init(database: any Database, signer: AuditSigner, now: @escaping @Sendable () -> Timestamp) {
        self.database = database
        self.signer = signer
        self.now = now
    }

    /// Signs what the former key signed.
    ///
    /// - Returns: How many chains have no valid signature, and stay as they are.
    package func reseal() async throws -> Int {
        var invalid = 0
        for key in try await database.read({ try $0.auditChainKeys(ofProject: nil) }) {
            let (signer, time) = (signer, now())
            let isValid = try await database.write { transaction -> Bool in
                let check = AuditEndsCheck(signer: signer)
                guard var ends = try transaction.auditChain(key), check.isHeadSigned(ends), check.isCutSigned(ends) else {
                    return false
                }
                guard !signer.isOwn(ends.headCheckpoint) || !(ends.cutCheckpoint.map(signer.isOwn) ?? true) else { return true }
                let head = AuditCheckpoint(.head, of: key, seq: ends.headSeq, hash: ends.headHash, at: time)
                ends.headCheckpoint = try signer.sign(head.statement)
                if ends.cutSeq > 0 {
                    let cut = AuditCheckpoint(.cut, of: key, seq: ends.cutSeq, hash: ends.cutHash, at: time)
                    ends.cutCheckpoint = try signer.sign(cut.statement)
                }
                try transaction.storeAuditChain(ends)
                return true
            }
            if isValid { try await resealRows(of: key) } else { invalid += 1 }
        }
        return invalid
    }

    // The records on which retention may end. Those that neither key signed stay as they are.
    private func resealRows(of key: AuditChainKey) async throws {
        var last = AuditRow.beforeAll
        while true {
            let (signer, time, from) = (signer, now(), last)
            let rows = try await database.write { transaction -> [AuditRow] in
                let check = AuditEndsCheck(signer: signer)
                let rows = try transaction.chainedAuditRows(key, after: from, limit: Self.page)
                for row in rows where check.isSigned(row, in: key) && row.checkpoint.map(signer.isOwn) == false {
                    let place = AuditCheckpoint(.head, of: key, seq: row.seq, hash: row.hash, at: time)
                    try transaction.signAuditRow(row.event.eventID, checkpoint: try signer.sign(place.statement))
                }
                return rows
            }
            guard let row = rows.last, rows.count == Self.page else { return }
            last = (row.seq, row.event.eventID)
        }
    }
}
