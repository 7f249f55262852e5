package import Project

/// An invitation to become an operator, or to return as one with a new factor.
package struct OperatorInvitationRecord: Sendable, Hashable {
    /// SHA-256 of the code in the link.
    package let codeHash: [UInt8]
    /// Whom it is for, in canonical form; `nil` at the first start, when the operator says it.
    package let email: String?
    /// The word of the role.
    package let role: String
    /// The one tenant that the operator will work in; `nil` for all of them and the project itself.
    package let tenantID: String?
    /// The actor who invites; `nil` for the first start.
    package let invitedBy: String?
    package let createdAt: Timestamp
    package let expiresAt: Timestamp

    package init(
        codeHash: [UInt8],
        email: String?,
        role: String,
        tenantID: String?,
        invitedBy: String?,
        createdAt: Timestamp,
        expiresAt: Timestamp
    ) {
        self.codeHash = codeHash
        self.email = email
        self.role = role
        self.tenantID = tenantID
        self.invitedBy = invitedBy
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    fileprivate static let columns = "code_hash, email, role, bound_tenant_id, invited_by, created_at, expires_at"

    fileprivate init(row: Row) throws {
        codeHash = try row.bytes("code_hash")
        email = try row.textIfPresent("email")
        role = try row.text("role")
        tenantID = try row.textIfPresent("bound_tenant_id")
        invitedBy = try row.textIfPresent("invited_by")
        createdAt = try row.timestamp("created_at")
        expiresAt = try row.timestamp("expires_at")
    }
}

extension Transaction {
    /// Stores an invitation.
    package func insertOperatorInvitation(_ project: String, _ invitation: OperatorInvitationRecord) throws {
        try execute(
            """
            INSERT INTO operator_invitations (project_id, \(raw: OperatorInvitationRecord.columns)) VALUES (
                \(project), \(invitation.codeHash), \(invitation.email), \(invitation.role), \(invitation.tenantID),
                \(invitation.invitedBy), \(invitation.createdAt.milliseconds), \(invitation.expiresAt.milliseconds))
            """
        )
    }

    /// The invitation with a code's hash, also when it has expired; `nil` when it is unknown or used.
    package func operatorInvitation(_ project: String, hash: [UInt8]) throws -> OperatorInvitationRecord? {
        try queryOne(
            """
            SELECT \(raw: OperatorInvitationRecord.columns) FROM operator_invitations
            WHERE project_id = \(project) AND code_hash = \(hash)
            """
        ).map(OperatorInvitationRecord.init(row:))
    }

    /// All invitations of a project, the oldest first.
    package func operatorInvitations(_ project: String) throws -> [OperatorInvitationRecord] {
        try query(
            """
            SELECT \(raw: OperatorInvitationRecord.columns) FROM operator_invitations
            WHERE project_id = \(project) ORDER BY created_at, code_hash
            """
        ).map(OperatorInvitationRecord.init(row:))
    }

    /// Uses an invitation up.
    package func deleteOperatorInvitation(_ project: String, hash: [UInt8]) throws -> Bool {
        try execute("DELETE FROM operator_invitations WHERE project_id = \(project) AND code_hash = \(hash)") > 0
    }

    /// Withdraws every invitation for an address.
    package func deleteOperatorInvitations(_ project: String, email: String) throws {
        try execute("DELETE FROM operator_invitations WHERE project_id = \(project) AND email = \(email)")
    }

    /// Deletes expired invitations, in one small batch.
    package func deleteOperatorInvitations(expiredBefore time: Timestamp, limit: Int) throws -> Int {
        try execute(
            """
            DELETE FROM operator_invitations WHERE (project_id, code_hash) IN (
                SELECT project_id, code_hash FROM operator_invitations
                WHERE expires_at < \(time.milliseconds) ORDER BY expires_at LIMIT \(limit))
            """
        )
    }
}
