package import Project

/// Rows that are of no use any more once a time of theirs has passed.
package enum ExpiringRows: String, Sendable, CaseIterable {
    case usedCredentials = "used_credentials"
    /// Ended sessions. Their refresh tokens are unknown from then on.
    case sessions
    case oobCodes = "oob_codes"
    case authorizationFlows = "authorization_flows"
    case answeredFlows = "answered_flows"
    case smsCodes = "sms_codes"
    case appCredentials = "app_credentials"
    case operatorSessions = "operator_sessions"
    case operatorInvitations = "operator_invitations"
    case operatorApprovals = "operator_approvals"
    /// Buckets whose window has ended and that block nothing.
    case throttles

    /// The column of the time. It has an index.
    fileprivate var column: String {
        switch self {
        case .usedCredentials, .oobCodes, .authorizationFlows, .answeredFlows, .smsCodes, .appCredentials, .operatorInvitations,
            .operatorApprovals:
            "expires_at"
        case .sessions: "revoked_at"
        case .operatorSessions: "created_at"
        case .throttles: "ends_at"
        }
    }
}

extension Transaction {
    /// Deletes rows whose time was before another, in one small batch, and returns how many.
    package func deleteExpired(_ rows: ExpiringRows, before time: Timestamp, limit: Int) throws -> Int {
        let blocksNothing: SQL = if rows == .throttles { "AND blocked_until < \(time)" } else { "" }
        let condition: SQL = "\(raw: rows.column) < \(time) \(sql: blocksNothing)"
        return try deleteFirst(limit, of: rows.rawValue, where: condition, orderedBy: rows.column)
    }
}
