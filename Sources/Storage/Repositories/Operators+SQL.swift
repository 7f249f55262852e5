package import Project

/// Somebody who works with the console, as stored.
package struct OperatorRecord: Sendable, Hashable {
    package let operatorID: String
    /// In canonical form.
    package let email: String
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
    package let createdAt: Timestamp
    package var lastSignInAt: Timestamp?

    package init(operatorID: String, email: String, role: String, tenantID: String?, createdAt: Timestamp) {
        self.operatorID = operatorID
        self.email = email
        self.role = role
        self.tenantID = tenantID
        self.createdAt = createdAt
    }

    fileprivate static let columns = """
        operator_id, email, role, bound_tenant_id, password_hash, sealed_totp, totp_step, created_at, last_sign_in_at
        """

    fileprivate init(row: Row) throws {
        operatorID = try row.text("operator_id")
        email = try row.text("email")
        role = try row.text("role")
        tenantID = try row.textIfPresent("bound_tenant_id")
        passwordHash = try row.textIfPresent("password_hash")
        sealedTOTP = try row.textIfPresent("sealed_totp")
        totpStep = try row.integerIfPresent("totp_step")
        createdAt = try row.timestamp("created_at")
        lastSignInAt = try row.timestampIfPresent("last_sign_in_at")
    }
}

extension Transaction {
    /// Stores a new operator.
    ///
    /// - Throws: `StorageError.uniqueViolation` when the project has an operator of that address.
    package func insertOperator(_ project: String, _ record: OperatorRecord) throws {
        try execute(
            """
            INSERT INTO operators (project_id, \(raw: OperatorRecord.columns)) VALUES (
                \(project), \(record.operatorID), \(record.email), \(record.role), \(record.tenantID), \(record.passwordHash),
                \(record.sealedTOTP), \(record.totpStep), \(record.createdAt.milliseconds), \(record.lastSignInAt?.milliseconds))
            """
        )
    }

    /// Stores everything of an operator that can change.
    package func updateOperator(_ project: String, _ record: OperatorRecord) throws {
        try execute(
            """
            UPDATE operators SET role = \(record.role), bound_tenant_id = \(record.tenantID),
                password_hash = \(record.passwordHash), sealed_totp = \(record.sealedTOTP), totp_step = \(record.totpStep),
                last_sign_in_at = \(record.lastSignInAt?.milliseconds)
            WHERE project_id = \(project) AND operator_id = \(record.operatorID)
            """
        )
    }

    /// The operator with an id; `nil` when there is none.
    package func consoleOperator(_ project: String, id: String) throws -> OperatorRecord? {
        try queryOne(
            """
            SELECT \(raw: OperatorRecord.columns) FROM operators WHERE project_id = \(project) AND operator_id = \(id)
            """
        ).map(OperatorRecord.init(row:))
    }

    /// The operator with an address in canonical form; `nil` when there is none.
    package func consoleOperator(_ project: String, email: String) throws -> OperatorRecord? {
        try queryOne("SELECT \(raw: OperatorRecord.columns) FROM operators WHERE project_id = \(project) AND email = \(email)")
            .map(OperatorRecord.init(row:))
    }

    /// All operators of a project, by address.
    package func consoleOperators(_ project: String) throws -> [OperatorRecord] {
        try query("SELECT \(raw: OperatorRecord.columns) FROM operators WHERE project_id = \(project) ORDER BY email")
            .map(OperatorRecord.init(row:))
    }

    /// Removes an operator with all passkeys and sessions.
    package func deleteOperator(_ project: String, id: String) throws {
        try execute("DELETE FROM operators WHERE project_id = \(project) AND operator_id = \(id)")
    }
}
