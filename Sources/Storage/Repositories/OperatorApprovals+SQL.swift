package import Project

/// What an operator of the console asks another one to agree to.
package struct OperatorApprovalRecord: Sendable, Hashable {
    package internal(set) var approvalID: String
    /// Who asks.
    package internal(set) var operatorID: String
    /// The word of the kind of action.
    package internal(set) var action: String
    /// The tenant that the action concerns; `nil` for the project itself.
    package internal(set) var tenantID: String?
    /// SHA-256 of the whole action.
    package internal(set) var fingerprint: [UInt8]
    /// The action's parts as JSON text, for whoever agrees.
    package internal(set) var detail: String
    package internal(set) var requestedAt: Timestamp
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
}

extension OperatorApprovalRecord: StoredRecord {
    static let table = TableDescriptor<Self>("operator_approvals", of: .project, key: ["project_id", "approval_id"])
    static var blank: Self {
        Self(
            approvalID: "",
            operatorID: "",
            action: "",
            tenantID: nil,
            fingerprint: [],
            detail: "",
            requestedAt: .blank,
            expiresAt: .blank
        )
    }

    static func columns(_ column: inout some ColumnVisitor<Self>) {
        column("approval_id", \.approvalID)
        column("operator_id", \.operatorID)
        column("action", \.action)
        column("bound_tenant_id", \.tenantID)
        column("fingerprint", \.fingerprint)
        column("detail", \.detail)
        column("requested_at", \.requestedAt)
        column("expires_at", \.expiresAt)
        column("approved_by", \.approvedBy)
    }
}

extension Transaction {
    /// Stores a request.
    package func insertOperatorApproval(_ project: String, _ approval: OperatorApprovalRecord) throws {
        try execute(approval.insertion(of: [.text(project)]))
    }

    /// All requests of a project, the oldest first.
    package func operatorApprovals(_ project: String) throws -> [OperatorApprovalRecord] {
        try all("WHERE project_id = \(project) ORDER BY requested_at, approval_id")
    }

    /// Records who agreed, and until when the request is good, unless somebody has agreed already.
    package func approve(_ project: String, _ approval: OperatorApprovalRecord) throws -> Bool {
        try execute(
            """
            UPDATE operator_approvals
            SET approved_by = \(approval.approvedBy), expires_at = \(approval.expiresAt)
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
}
