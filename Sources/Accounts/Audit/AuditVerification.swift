import Project
package import Storage
package import Tokens

/// Checks the chains of the audit trail: whether a record was altered, removed, inserted or moved after it got its place.
package struct AuditVerification: Sendable {
    private let database: any Database
    private let signer: AuditSigner
    private let former: [[UInt8]]

    /// - Parameter former: Public keys of former master keys.
    package init(database: any Database, signer: AuditSigner, former: [[UInt8]] = []) {
        self.database = database
        self.signer = signer
        self.former = former
    }

    /// What was found in one chain.
    package struct Finding: Sendable, Hashable {
        package let key: AuditChainKey
        package internal(set) var records = 0
        /// The place of the last record, and where retention cut the chain.
        package internal(set) var headSeq: Int64 = 0
        package internal(set) var cutSeq: Int64 = 0
        /// What is wrong, in sentences; empty for a whole chain.
        package internal(set) var faults: [String] = []
        /// Faults beyond those that are told.
        package internal(set) var moreFaults = 0
        /// Whether time ran out before the last record.
        package internal(set) var isPartial = false

        private static let maximumFaults = 100

        init(_ key: AuditChainKey) { self.key = key }

        mutating func note(_ fault: String) {
            if faults.count < Self.maximumFaults { faults.append(fault) } else { moreFaults += 1 }
        }
    }

    /// Checks every chain of a project and its tenants.
    ///
    /// - Parameters:
    ///   - checkpoints: Statements that were kept outside of the store. What they state must be there.
    ///   - time: When to stop, so that a long trail keeps no connection of the store; `nil` for never.
    package func verify(
        projectID: String,
        checkpoints: [String] = [],
        within time: Duration? = nil
    ) async throws -> [Finding] {
        let deadline = time.map { ContinuousClock.now.advanced(by: $0) }
        let stated = checkpoints.map { signer.verified($0, former: former).flatMap(AuditCheckpoint.init) }
        var keys = try await database.read { try $0.auditChainKeys(ofProject: projectID) }
        // A chain that is gone as a whole is known from outside only.
        for checkpoint in stated.compactMap(\.self)
        where checkpoint.key.scope.projectID == projectID && !keys.contains(checkpoint.key) {
            keys.append(checkpoint.key)
        }
        var findings: [Finding] = []
        for key in keys {
            let mine = stated.compactMap(\.self).filter { $0.key == key }
            // In one transaction, so that a running server's own work does not look like a fault.
            let reader = ChainReader(key: key, signer: signer, former: former, stated: mine, deadline: deadline)
            findings.append(try await database.read { try reader.finding(in: $0) })
        }
        var others = Finding(AuditChainKey(scope: Scope(projectID: projectID), recordClass: "-"))
        let strays = try await database.read { try $0.countAuditRowsWithoutChain(ofProject: projectID) }
        if strays > 0 { others.note("\(strays) records have a place, but no chain") }
        let forged = stated.count { $0 == nil }
        if forged > 0 { others.note("\(forged) of the given checkpoints are not signed by this server's key") }
        let foreign = Set(stated.compactMap(\.self).map(\.key.scope.projectID)).subtracting([projectID]).sorted()
        if !foreign.isEmpty { others.note("given checkpoints are of other projects: \(foreign.joined(separator: ", "))") }
        if !others.faults.isEmpty { findings.append(others) }
        return findings
    }
}

/// Reads one chain from its cut to its head.
private struct ChainReader {
    let key: AuditChainKey
    let signer: AuditSigner
    let former: [[UInt8]]
    let stated: [AuditCheckpoint]
    let deadline: ContinuousClock.Instant?

    private static let page = 1000

    func finding(in transaction: Transaction) throws -> AuditVerification.Finding {
        var finding = AuditVerification.Finding(key)
        guard let ends = try transaction.auditChain(key) else {
            finding.note("the chain is gone, or its ends are")
            return finding
        }
        finding.headSeq = ends.headSeq
        finding.cutSeq = ends.cutSeq
        checkStatements(ends, &finding)
        // Before the cut there are no records.
        var (seq, hash) = (ends.cutSeq, ends.cutHash)
        var last = AuditRow.beforeAll
        // The hashes at the places that were stated outside.
        var hashes = [ends.cutSeq: ends.cutHash]
        let wanted = Set(stated.map(\.seq))
        while true {
            let rows = try transaction.chainedAuditRows(key, after: last, limit: Self.page)
            for row in rows {
                finding.records += 1
                check(row, follows: seq, hash, cut: ends.cutSeq, &finding)
                if row.seq > seq { (seq, hash) = (row.seq, row.hash) }
                if wanted.contains(row.seq) { hashes[row.seq] = row.hash }
                last = (row.seq, row.event.eventID)
            }
            if rows.count < Self.page { break }
            if let deadline, ContinuousClock.now >= deadline {
                finding.isPartial = true
                return finding
            }
        }
        if seq < ends.headSeq { finding.note(Self.missing(seq + 1, ends.headSeq)) }
        if seq > ends.headSeq { finding.note("\(Self.places(ends.headSeq + 1, seq)): inserted behind the last record") }
        if seq == ends.headSeq, hash != ends.headHash { finding.note("record \(seq): not the one that was the last") }
        for checkpoint in stated where checkpoint.seq >= ends.cutSeq && hashes[checkpoint.seq] != checkpoint.hash {
            finding.note("record \(checkpoint.seq): removed, or not the one of the given checkpoint")
        }
        return finding
    }

    private func check(
        _ row: AuditRow,
        follows seq: Int64,
        _ hash: String,
        cut: Int64,
        _ finding: inout AuditVerification.Finding
    ) {
        if row.seq <= cut { return finding.note("record \(row.seq): inserted where retention removed all") }
        if row.seq <= seq { return finding.note("record \(row.seq): inserted, there are two") }
        if row.seq > seq + 1 { finding.note(Self.missing(seq + 1, row.seq - 1)) }
        // Behind a gap the hash before is unknown.
        guard row.seq == seq + 1 else { return }
        if AuditHash.of(row, in: key, seq: row.seq, previous: hash) != row.hash {
            finding.note("record \(row.seq) (\(row.event.eventID)): altered or moved")
        }
    }

    private func checkStatements(_ ends: AuditChainEnds, _ finding: inout AuditVerification.Finding) {
        let check = AuditEndsCheck(signer: signer, former: former)
        if !check.isHeadSigned(ends) { finding.note("the end of the chain has no valid signature") }
        guard !check.isCutSigned(ends) else { return }
        if ends.cutSeq == 0 {
            finding.note("the beginning of the chain was altered")
        } else {
            finding.note("the removal of the records up to \(ends.cutSeq) has no valid signature")
        }
    }

    private static func missing(_ first: Int64, _ last: Int64) -> String { "\(places(first, last)): removed" }

    private static func places(_ first: Int64, _ last: Int64) -> String {
        first == last ? "record \(first)" : "records \(first) to \(last)"
    }
}
