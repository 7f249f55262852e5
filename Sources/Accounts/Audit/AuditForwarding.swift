import Logging
package import Project
package import Storage

/// Hands the records of the audit trail to a receiver outside, in the order of their chains, on one node at a time.
///
/// The store keeps how far the receiver has got. It moves on only after a batch was taken, so that each record arrives at least once, also
/// after a restart.
package struct AuditForwarding: Sendable {
    /// Records of one chain, and the signed statement of its end if they reach it.
    package struct Batch: Sendable {
        /// The lines, as exports have them, each with the event's name and whether it was a refusal.
        package let lines: [Line]
    }

    /// One line for the receiver.
    package struct Line: Sendable {
        /// The event's name, or `checkpoint`.
        package let name: String
        package let isRefusal: Bool
        package let time: Timestamp
        package let json: JSONValue
    }

    /// The name of the receiver, for its cursor, its lease and the log.
    package let receiver: String
    private let database: any Database
    private let environment: ServerEnvironment
    private let holder: String
    private let blocked = BlockedAuditChains(during: "forwarding")
    private let send: @Sendable (Batch) async throws -> Void

    private static let leaseTime = Duration.seconds(120)
    private static let batch = 100

    /// - Parameter send: Hands a batch over. It returns once the receiver has it, within less than two minutes.
    package init(
        to receiver: String,
        database: any Database,
        environment: ServerEnvironment,
        send: @escaping @Sendable (Batch) async throws -> Void
    ) {
        self.receiver = receiver
        self.database = database
        self.environment = environment
        self.send = send
        holder = environment.randomText(length: 20)
    }

    /// Hands over what the receiver does not have yet, unless another node does.
    @discardableResult
    package func forward(shouldStop: () -> Bool = { false }) async throws -> Int {
        var count = 0
        while !shouldStop() {
            let name = receiver
            let waiting = try await database.read { try $0.auditChains(notAt: name, limit: Self.batch) }
            if waiting.isEmpty { break }
            for ends in waiting where !shouldStop() {
                guard let sent = try await forward(ends) else { return count }
                count += sent
            }
        }
        return count
    }

    // `nil` when another node is at it.
    private func forward(_ waiting: AuditChainEnds) async throws -> Int? {
        let (now, receiver, holder) = (environment.now(), receiver, holder)
        let taken = try await database.write {
            try $0.takeLease("auditForwarding:\(receiver)", holder: holder, at: now, until: now.advanced(by: Self.leaseTime))
        }
        guard taken else { return nil }
        let (ends, cursor, isForeign, before, rows) = try await database.read { transaction in
            // Retention, and the node that had the lease before, may have gone on since the chain was found waiting.
            let ends = try transaction.auditChain(waiting.key) ?? waiting
            let known = try transaction.auditCursor(receiver, ends.key)
            let isForeign = try Self.isForeign(known, ends, in: transaction)
            // The receiver gets all that is there when it is not what it had. It tells by the ids what it has twice.
            let cursor = isForeign ? 0 : known.seq
            // What retention removed meanwhile is lost to the receiver.
            let from = max(cursor, ends.cutSeq)
            // Begins with the last record that the receiver has, whose hash the next one covers.
            let rows = try transaction.chainedAuditRows(ends.key, after: (from, ""), limit: Self.batch + 1)
            let previous = rows.first { $0.seq == from }?.hash ?? ends.cutHash
            return (ends, cursor, isForeign, (seq: from, hash: previous), rows.filter { $0.seq > from && $0.seq <= ends.headSeq })
        }
        if isForeign { blocked.report([ends.key], environment) }
        if before.seq > cursor, !isForeign {
            environment.logger.warning(
                "retention removed audit records before they were forwarded",
                metadata: ["receiver": "\(receiver)", "records": "\(before.seq - cursor)"]
            )
        }
        var (hash, lines) = (before.hash, [Line]())
        for row in rows {
            lines.append(
                Line(
                    name: row.event.event,
                    isRefusal: row.event.kind == .refused,
                    time: row.event.occurredAt,
                    json: AuditLine.json(row, ends.key, previous: hash)
                )
            )
            hash = row.hash
        }
        let last = rows.last?.seq ?? ends.headSeq
        if last == ends.headSeq {
            lines.append(
                Line(
                    name: "checkpoint",
                    isRefusal: false,
                    time: now,
                    json: AuditLine.json(checkpoint: ends.headCheckpoint, .head)
                )
            )
        }
        try await send(Batch(lines: lines))
        let lastHash = rows.isEmpty ? ends.headHash : hash
        try await database.write { try $0.moveAuditCursor(receiver, ends.key, to: last, hash: lastHash) }
        return rows.count
    }

    // Whether the chain is not the one that was forwarded: it is shorter, or has no record or another one at the place.
    private static func isForeign(
        _ cursor: (seq: Int64, hash: String?),
        _ ends: AuditChainEnds,
        in transaction: Transaction
    ) throws -> Bool {
        if cursor.seq > ends.headSeq { return true }
        guard let hash = cursor.hash, cursor.seq > ends.cutSeq else { return false }
        let row = try transaction.chainedAuditRows(ends.key, after: (cursor.seq, ""), limit: 1).first
        return row?.seq != cursor.seq || row?.hash != hash
    }
}
