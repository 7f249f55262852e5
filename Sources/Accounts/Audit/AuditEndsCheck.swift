import Project
import Storage
import Tokens

/// Tells what this service signed in the chains. The sequencer and retention work on signed places only: they would otherwise sign what somebody
/// else wrote to the tables.
struct AuditEndsCheck: Sendable {
    let signer: AuditSigner
    /// Public keys of former master keys.
    var former: [[UInt8]] = []

    /// Whether the last record of a chain is the one that was signed.
    func isHeadSigned(_ ends: AuditChainEnds) -> Bool {
        isSigned(ends.headCheckpoint, .head, ends.key, ends.headSeq, ends.headHash)
    }

    /// Whether retention removed the records before the first one.
    func isCutSigned(_ ends: AuditChainEnds) -> Bool {
        if ends.cutSeq == 0 { return ends.cutHash == AuditHash.first }
        return ends.cutCheckpoint.map { isSigned($0, .cut, ends.key, ends.cutSeq, ends.cutHash) } ?? false
    }

    /// The ends of a chain that may be continued.
    ///
    /// - Returns: `nil` when the tables are not as this service left them.
    func continuable(_ key: AuditChainKey, in transaction: Transaction) throws -> AuditChainEnds? {
        guard let ends = try transaction.auditChain(key) else {
            let rows = try transaction.chainedAuditRows(key, after: AuditRow.beforeAll, limit: 1)
            return rows.isEmpty ? .empty(key) : nil
        }
        return isHeadSigned(ends) && isCutSigned(ends) ? ends : nil
    }

    /// Whether a record's place is signed on the record itself.
    func isSigned(_ row: AuditRow, in key: AuditChainKey) -> Bool {
        row.checkpoint.map { isSigned($0, .head, key, row.seq, row.hash) } ?? false
    }

    private func isSigned(_ text: String, _ kind: AuditCheckpoint.Kind, _ key: AuditChainKey, _ seq: Int64, _ hash: String)
        -> Bool
    {
        guard let stated = signer.verified(text, former: former).flatMap(AuditCheckpoint.init) else { return false }
        return stated.agrees(with: AuditCheckpoint(kind, of: key, seq: seq, hash: hash, at: stated.madeAt))
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
