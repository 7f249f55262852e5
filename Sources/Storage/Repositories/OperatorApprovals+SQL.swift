package import Project

/// What an operator of the console asks another one to agree to.
package struct OperatorApprovalRecord: Sendable, Hashable {
    package let approvalID: String
    /// Who asks.
    package let operatorID: String
    /// The word of the kind of action.
    package let action: String
    /// The tenant that the action concerns; `nil` for the project itself.
    package let tenantID: String?
    /// SHA-256 of the whole action.
    package let fingerprint: [UInt8]
    /// The action's parts as JSON text, for whoever agrees.
    package let detail: String
    package let requestedAt: Timestamp
    package var expiresAt: Timestamp
    /// The operator who agreed; `nil` while nobody has.
    package var approvedBy: String?

    package init(
        approvalID: String,
        operatorID: String,
        action: String,
        tenantID: String?,
        fingerprint: [UInt8],
        detail: String,
        requestedAt: Timestamp,
        expiresAt: Timestamp
    ) {
        self.approvalID = approvalID
        self.operatorID = operatorID
        self.action = action
        self.tenantID = tenantID
        self.fingerprint = fingerprint
        self.detail = detail
        self.requestedAt = requestedAt
        self.expiresAt = expiresAt
    }

    fileprivate static let columns =
        "approval_id, operator_id, action, bound_tenant_id, fingerprint, detail, requested_at, expires_at, approved_by"

    fileprivate init(row: Row) throws {
        approvalID = try row.text("approval_id")
        operatorID = try row.text("operator_id")
        action = try row.text("action")
        tenantID = try row.textIfPresent("bound_tenant_id")
        fingerprint = try row.bytes("fingerprint")
        detail = try row.text("detail")
        requestedAt = try row.timestamp("requested_at")
        expiresAt = try row.timestamp("expires_at")
        approvedBy = try row.textIfPresent("approved_by")
    }
}

extension Transaction {
    /// Stores a request.
    package func insertOperatorApproval(_ project: String, _ approval: OperatorApprovalRecord) throws {
        try execute(
            """
            INSERT INTO operator_approvals (project_id, \(raw: OperatorApprovalRecord.columns)) VALUES (
                \(project), \(approval.approvalID), \(approval.operatorID), \(approval.action), \(approval.tenantID),
                \(approval.fingerprint), \(approval.detail), \(approval.requestedAt.milliseconds),
                \(approval.expiresAt.milliseconds), \(approval.approvedBy))
            """
        )
    }

    /// All requests of a project, the oldest first.
    package func operatorApprovals(_ project: String) throws -> [OperatorApprovalRecord] {
        try query(
            """
            SELECT \(raw: OperatorApprovalRecord.columns) FROM operator_approvals
            WHERE project_id = \(project) ORDER BY requested_at, approval_id
            """
        ).map(OperatorApprovalRecord.init(row:))
    }

    /// Records who agreed, and until when the request is good, unless somebody has agreed already.
    package func approve(_ project: String, _ approval: OperatorApprovalRecord) throws -> Bool {
        try execute(
            """
            UPDATE operator_approvals
            SET approved_by = \(approval.approvedBy), expires_at = \(approval.expiresAt.milliseconds)
            WHERE project_id = \(project) AND approval_id = \(approval.approvalID) AND approved_by IS NULL
            """
        ) > 0
    }

    /// Uses a request up, or withdraws it.
    package func deleteOperatorApproval(_ project: String, id: String) throws -> Bool {
        try execute("DELETE FROM operator_approvals WHERE project_id = \(project) AND approval_id = \(id)") > 0
    }

    /// Deletes what an operator asked for or agreed to.
    package func deleteOperatorApprovals(_ project: String, ofOperator id: String) throws {
        try execute(
            "DELETE FROM operator_approvals WHERE project_id = \(project) AND (operator_id = \(id) OR approved_by = \(id))"
        )
    }

    /// Deletes expired requests, in one small batch.
    package func deleteOperatorApprovals(expiredBefore time: Timestamp, limit: Int) throws -> Int {
        try execute(
            """
            DELETE FROM operator_approvals WHERE (project_id, approval_id) IN (
                SELECT project_id, approval_id FROM operator_approvals
                WHERE expires_at < \(time.milliseconds) ORDER BY expires_at LIMIT \(limit))
            """
        )
    }
}
