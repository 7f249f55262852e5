import Project
package import Storage
import Tenancy

/// The operators of a project: who they are, their roles, and their end.
package struct OperatorDirectory: Sendable {
    let base: OperatorServices
    let approvals: OperatorApprovals

    package func all(for owner: ConsoleOperator) async throws -> [OperatorRecord] {
        try owner.requireManagement()
        return try await all()
    }

    /// All operators, for the command line.
    package func all() async throws -> [OperatorRecord] {
        try await base.database.read { try $0.consoleOperators(base.projectID) }
    }

    package func find(_ operatorID: String, for owner: ConsoleOperator) async throws -> OperatorRecord {
        try owner.requireManagement()
        guard let record = try await base.database.read({ try $0.consoleOperator(base.projectID, id: operatorID) }) else {
            throw OperatorError.unknownOperator
        }
        return record
    }

    /// Changes role and tenant of an operator, whose sessions end.
    ///
    /// - Throws: ``OperatorError``, among them ``OperatorError/needsApproval``.
    package func change(
        _ operatorID: String,
        to role: OperatorRole,
        tenantID: String?,
        by owner: ConsoleOperator
    ) async throws {
        try owner.requireManagement()
        try owner.requireConfirmation()
        try await base.checkBinding(tenantID, of: role)
        let parts = [("do", "change"), ("role", role.rawValue), ("tenant", tenantID ?? "")]
        let consent = try await consent(to: parts, operatorID, becoming: role, by: owner)
        let detail: JSONValue = [
            "operator": .string(operatorID), "role": .string(role.rawValue),
            "tenant": tenantID.map(JSONValue.string) ?? .null,
        ]
        try await alter(operatorID, .operatorRoleChanged, detail, by: owner.request) { transaction, record in
            try base.requireStill(owner, in: transaction)
            try approvals.check(consent, record, in: transaction)
            var record = record
            (record.role, record.tenantID) = (role.rawValue, tenantID)
            try transaction.updateOperator(base.projectID, record)
            _ = try transaction.deleteOperatorSessions(base.projectID, operatorID: record.operatorID, except: nil)
        }
    }

    // Consent names the operator as the list does.
    private func consent(
        to parts: [(name: String, value: String)],
        _ operatorID: String,
        becoming role: OperatorRole?,
        by owner: ConsoleOperator
    ) async throws -> OperatorApprovals.ManagementConsent {
        guard approvals.isRequired else { return approvals.consentUnasked(by: owner) }
        let record = try await find(operatorID, for: owner)
        let parts = parts + [("operator", record.email)]
        return try await approvals.requireToManage(parts, record, becoming: role, by: owner)
    }

    /// Removes an operator with all passkeys and sessions.
    ///
    /// - Throws: ``OperatorError``, among them ``OperatorError/needsApproval``.
    package func remove(_ operatorID: String, by owner: ConsoleOperator) async throws {
        try owner.requireManagement()
        try owner.requireConfirmation()
        let consent = try await consent(to: [("do", "remove")], operatorID, becoming: nil, by: owner)
        try await remove(operatorID, by: owner.request) { transaction, record in
            try base.requireStill(owner, in: transaction)
            try approvals.check(consent, record, in: transaction)
        }
    }

    /// Removes an operator on behalf of the command line.
    package func remove(_ operatorID: String, actor: String) async throws {
        try await remove(operatorID, by: base.call(by: actor)) { _, _ in }
    }

    private func remove(
        _ operatorID: String,
        by context: CallContext,
        _ check: @escaping @Sendable (Transaction, OperatorRecord) throws -> Void
    ) async throws {
        let detail: JSONValue = ["operator": .string(operatorID)]
        try await alter(operatorID, .operatorRemoved, detail, by: context) { transaction, record in
            try check(transaction, record)
            try transaction.deleteOperator(base.projectID, id: record.operatorID)
        }
    }

    // What an operator has begun ends with the change: invitations and approvals that wait go, too.
    private func alter(
        _ operatorID: String,
        _ kind: AuditEvent.Kind,
        _ detail: JSONValue,
        by context: CallContext,
        _ body: @escaping @Sendable (Transaction, OperatorRecord) throws -> Void
    ) async throws {
        let project = base.projectID
        try await base.change(kind, detail, by: context) { transaction, _ in
            guard let record = try transaction.consoleOperator(project, id: operatorID) else {
                throw OperatorError.unknownOperator
            }
            try body(transaction, record)
            let owner = OperatorRole.owner.rawValue
            if record.role == owner, try !transaction.consoleOperators(project).contains(where: { $0.role == owner }) {
                throw OperatorError.lastOwner
            }
            for invitation in try transaction.operatorInvitations(project)
            where invitation.invitedBy == ConsoleOperator.actor(record.email) || invitation.email == record.email {
                _ = try transaction.deleteOperatorInvitation(project, hash: invitation.codeHash)
            }
            try transaction.deleteOperatorApprovals(project, ofOperator: operatorID)
        }
    }
}
