package import Project

/// An invitation to become an operator, or to return as one with a new factor.
package struct OperatorInvitationRecord: Sendable, Hashable {
    /// SHA-256 of the code in the link.
    package internal(set) var codeHash: [UInt8]
    /// Whom it is for, in canonical form; `nil` at the first start, when the operator says it.
    package internal(set) var email: String?
    /// The word of the role.
    package internal(set) var role: String
    /// The one tenant that the operator will work in; `nil` for all of them and the project itself.
    package internal(set) var tenantID: String?
    /// The actor who invites; `nil` for the first start.
    package internal(set) var invitedBy: String?
    package internal(set) var createdAt: Timestamp
    package internal(set) var expiresAt: Timestamp

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
}

extension OperatorInvitationRecord: StoredRecord {
    static let table = TableDescriptor<Self>("operator_invitations", of: .project, key: ["project_id", "code_hash"])
    static var blank: Self {
        Self(codeHash: [], email: nil, role: "", tenantID: nil, invitedBy: nil, createdAt: .blank, expiresAt: .blank)
    }

    static func columns(_ column: inout some ColumnVisitor<Self>) {
        column("code_hash", \.codeHash)
        column("email", \.email)
        column("role", \.role)
        column("bound_tenant_id", \.tenantID)
        column("invited_by", \.invitedBy)
        column("created_at", \.createdAt)
        column("expires_at", \.expiresAt)
    }
}

extension Transaction {
    package func insertOperatorInvitation(_ project: String, _ invitation: OperatorInvitationRecord) throws {
        try execute(invitation.insertion(of: [.text(project)]))
    }

    /// The invitation with a code's hash, also when it has expired; `nil` when it is unknown or used.
    package func operatorInvitation(_ project: String, hash: [UInt8]) throws -> OperatorInvitationRecord? {
        try first("WHERE project_id = \(project) AND code_hash = \(hash)")
    }

    /// All invitations of a project, the oldest first.
    package func operatorInvitations(_ project: String) throws -> [OperatorInvitationRecord] {
        try all("WHERE project_id = \(project) ORDER BY created_at, code_hash")
    }

    /// Uses an invitation up.
    package func deleteOperatorInvitation(_ project: String, hash: [UInt8]) throws -> Bool {
        try execute("DELETE FROM operator_invitations WHERE project_id = \(project) AND code_hash = \(hash)") > 0
    }

    /// Withdraws every invitation for an address.
    package func deleteOperatorInvitations(_ project: String, email: String) throws {
        try execute("DELETE FROM operator_invitations WHERE project_id = \(project) AND email = \(email)")
    }
}
