package import Project

/// Somebody who works with the console, as stored.
package struct OperatorRecord: Sendable, Hashable {
    package internal(set) var operatorID: String
    /// In canonical form.
    package internal(set) var email: String
    /// The word of the role.
    package var role: String
    /// The one tenant that the operator works in; `nil` for all of them and the project itself.
    package var tenantID: String?
    /// The text of a `StoredPassword`; `nil` without a password.
    package var passwordHash: String?
    /// The TOTP secret, sealed under the master key; `nil` without one.
    package var sealedTOTP: String?
    /// The time step of the last accepted code (RFC 6238 §5.2).
    package var totpStep: Int64?
    package internal(set) var createdAt: Timestamp
    package var lastSignInAt: Timestamp?

    package init(operatorID: String, email: String, role: String, tenantID: String?, createdAt: Timestamp) {
        self.operatorID = operatorID
        self.email = email
        self.role = role
        self.tenantID = tenantID
        self.createdAt = createdAt
    }
}

extension OperatorRecord: StoredRecord {
    static let table = TableDescriptor<Self>("operators", of: .project, key: ["project_id", "operator_id"])
    static var blank: Self { Self(operatorID: "", email: "", role: "", tenantID: nil, createdAt: .blank) }

    static func columns(_ column: inout some ColumnVisitor<Self>) {
        column("operator_id", \.operatorID)
        column("email", \.email)
        column("role", \.role)
        column("bound_tenant_id", \.tenantID)
        column("password_hash", \.passwordHash)
        column("sealed_totp", \.sealedTOTP)
        column("totp_step", \.totpStep)
        column("created_at", \.createdAt)
        column("last_sign_in_at", \.lastSignInAt)
    }
}

extension Transaction {
    /// Stores a new operator.
    ///
    /// - Throws: `StorageError.uniqueViolation` when the project has an operator of that address.
    package func insertOperator(_ project: String, _ record: OperatorRecord) throws {
        try execute(record.insertion(of: [.text(project)]))
    }

    /// Stores everything of an operator that can change.
    package func updateOperator(_ project: String, _ record: OperatorRecord) throws {
        try execute(record.update(of: [.text(project)]))
    }

    /// The operator with an id; `nil` when there is none.
    package func consoleOperator(_ project: String, id: String) throws -> OperatorRecord? {
        try first("WHERE project_id = \(project) AND operator_id = \(id)")
    }

    /// The operator with an address in canonical form; `nil` when there is none.
    package func consoleOperator(_ project: String, email: String) throws -> OperatorRecord? {
        try first("WHERE project_id = \(project) AND email = \(email)")
    }

    /// All operators of a project, by address.
    package func consoleOperators(_ project: String) throws -> [OperatorRecord] {
        try all("WHERE project_id = \(project) ORDER BY email")
    }

    /// How many operators a project has.
    package func countConsoleOperators(_ project: String) throws -> Int {
        Int(try queryOne("SELECT count(*) AS n FROM operators WHERE project_id = \(project)")?.integer("n") ?? 0)
    }

    /// Removes an operator with all passkeys and sessions.
    package func deleteOperator(_ project: String, id: String) throws {
        try execute("DELETE FROM operators WHERE project_id = \(project) AND operator_id = \(id)")
    }
}
