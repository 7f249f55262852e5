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
        /// The audit trail.
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
        for kind in Kind.all {
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
        // A row that has expired here may still be valid on a node whose clock is behind (threat case OPS-11).
        let past = now - ClockSkew.limit
        let holder = holder
        let retention = retention
        let outcome = try await database.write { transaction -> AuditRetention.Outcome? in
            let until = now.advanced(by: Self.leaseTime)
            guard try transaction.takeLease(Self.lease, holder: holder, at: now, until: until) else { return nil }
            return switch kind {
            case .auditRecords(let recordClass):
                try retention.audit.remove(recordClass, at: now, limit: Self.batch, in: transaction)
            case .usedCredentials: .init(removed: try transaction.deleteExpiredCredentials(before: past, limit: Self.batch))
            case .endedSessions:
                .init(removed: try transaction.deleteSessions(revokedBefore: now - retention.endedSessions, limit: Self.batch))
            case .oobCodes:
                .init(removed: try transaction.deleteOOBCodes(expiredBefore: now - retention.expiredCodes, limit: Self.batch))
            case .authorizationFlows:
                .init(removed: try transaction.deleteAuthorizationFlows(expiredBefore: past, limit: Self.batch))
            case .answeredFlows:
                .init(removed: try transaction.deleteAnsweredFlows(expiredBefore: past, limit: Self.batch))
            case .smsCodes:
                .init(removed: try transaction.deleteSMSCodes(expiredBefore: now - Self.smsCodesStay, limit: Self.batch))
            case .appCredentials: .init(removed: try transaction.deleteAppCredentials(expiredBefore: past, limit: Self.batch))
            case .dailyCounts:
                .init(
                    removed: try transaction.deleteDailyCounts(
                        before: DailyCounts.day(of: now - Self.dailyCountsStay),
                        limit: Self.batch
                    )
                )
            case .operatorSessions:
                .init(
                    removed: try transaction.deleteOperatorSessions(
                        createdBefore: now - Self.operatorSessionsStay,
                        limit: Self.batch
                    )
                )
            case .operatorInvitations:
                .init(removed: try transaction.deleteOperatorInvitations(expiredBefore: past, limit: Self.batch))
            case .operatorApprovals:
                .init(removed: try transaction.deleteOperatorApprovals(expiredBefore: past, limit: Self.batch))
            case .throttles: .init(removed: try transaction.deleteThrottles(endedBefore: past, limit: Self.batch))
            }
        }
        blocked.report(outcome?.blocked ?? [], environment)
        return outcome?.removed
    }

    private enum Kind {
        case usedCredentials
        case endedSessions
        case auditRecords(AuditClass)
        case oobCodes
        case authorizationFlows
        case answeredFlows
        case smsCodes
        case appCredentials
        case dailyCounts
        case operatorSessions
        case operatorInvitations
        case operatorApprovals
        case throttles

        static let all: [Kind] =
            [.usedCredentials, .endedSessions] + AuditClass.allCases.map(Kind.auditRecords) + [
                .oobCodes, .authorizationFlows, .answeredFlows, .smsCodes, .appCredentials, .dailyCounts, .operatorSessions,
                .operatorInvitations, .operatorApprovals, .throttles,
            ]
    }
}
