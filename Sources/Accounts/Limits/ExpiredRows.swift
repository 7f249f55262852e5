package import Project
package import Settings
package import Storage
package import Tokens

/// Removes expired rows, on one node at a time and in small batches, so that other writes do not wait long.
package struct ExpiredRows: Sendable {
    private let database: any Database
    private let environment: ServerEnvironment
    private let retention: Retention
    private let holder: String
    private let blocked = BlockedAuditChains(during: "retention")

    /// How long rows stay that are no longer in use.
    package struct Retention: Sendable {
        /// Ended sessions. While they stay, their refresh tokens get the exact error.
        package var endedSessions: Duration
        package var audit: AuditRetention
        /// Expired one-time codes. While they stay, their users get the exact error.
        package var expiredCodes: Duration

        /// What the settings say, and a month for the rest.
        package init(_ limits: LimitSettings, signer: AuditSigner) {
            let month = Duration.seconds(86_400 * 30)
            self.init(endedSessions: month, audit: AuditRetention(limits, signer: signer), expiredCodes: month)
        }

        package init(endedSessions: Duration, audit: AuditRetention, expiredCodes: Duration) {
            self.endedSessions = endedSessions
            self.audit = audit
            self.expiredCodes = expiredCodes
        }
    }

    private static let lease = "expiredRows"
    private static let leaseTime = Duration.seconds(120)
    private static let batch = 500
    // Expired codes stay for a day, so that a late user gets the exact error.
    private static let smsCodesStay = Duration.seconds(86_400)
    private static let dailyCountsStay = Duration.seconds(86_400 * 400)
    // No session of an operator lasts longer (`console.sessionHours`).
    private static let operatorSessionsStay = Duration.seconds(86_400 * 8)

    package init(database: any Database, environment: ServerEnvironment, retention: Retention) {
        self.database = database
        self.environment = environment
        self.retention = retention
        holder = environment.randomText(length: 20)
    }

    /// Removes expired rows, unless another node does, or the clock is not believed: what is gone does not come back with the right time.
    ///
    /// - Returns: The number of removed rows; `nil` when another node removes them, or nothing may be removed.
    @discardableResult
    package func remove(shouldStop: () -> Bool = { false }) async throws -> Int? {
        var removed = 0
        guard environment.clockLead() == nil else { return nil }
        for kind in kinds {
            var last = Self.batch
            while last >= Self.batch, !shouldStop(), environment.clockLead() == nil {
                guard let count = try await removeBatch(kind) else { return removed == 0 ? nil : removed }
                last = count
                removed += count
            }
        }
        return removed
    }

    // Each batch renews the lease, so that a node that hangs loses it before its next batch.
    private func removeBatch(_ kind: Kind) async throws -> Int? {
        let now = environment.now()
        let holder = holder
        let retention = retention
        let outcome = try await database.write { transaction -> AuditRetention.Outcome? in
            let until = now.advanced(by: Self.leaseTime)
            guard try transaction.takeLease(Self.lease, holder: holder, at: now, until: until) else { return nil }
            return switch kind {
            case .auditRecords(let recordClass):
                try retention.audit.remove(recordClass, at: now, limit: Self.batch, in: transaction)
            case .rows(let rows, let stay):
                .init(removed: try transaction.deleteExpired(rows, before: now - stay, limit: Self.batch))
            case .dailyCounts:
                .init(
                    removed: try transaction.deleteDailyCounts(
                        before: DailyCounts.day(of: now - Self.dailyCountsStay),
                        limit: Self.batch
                    )
                )
            }
        }
        blocked.report(outcome?.blocked ?? [], environment)
        return outcome?.removed
    }

    private enum Kind {
        /// Rows of a table, and how long they stay after their time.
        case rows(ExpiringRows, Duration)
        case auditRecords(AuditClass)
        case dailyCounts
    }

    private var kinds: [Kind] {
        // A row that has expired here may still be valid on a node whose clock is behind (threat case OPS-11).
        let past = ClockSkew.limit
        return [.rows(.usedCredentials, past), .rows(.sessions, retention.endedSessions)]
            + AuditClass.allCases.map(Kind.auditRecords) + [
                .rows(.oobCodes, retention.expiredCodes), .rows(.authorizationFlows, past), .rows(.answeredFlows, past),
                .rows(.smsCodes, Self.smsCodesStay), .rows(.appCredentials, past), .dailyCounts,
                .rows(.operatorSessions, Self.operatorSessionsStay), .rows(.operatorInvitations, past),
                .rows(.operatorApprovals, past), .rows(.throttles, past),
            ]
    }
}
