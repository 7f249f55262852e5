import Project
package import Storage

/// Another operator's consent to an action: found, and not used up before the action happens.
package struct OperatorConsent: Sendable {
    let base: OperatorServices
    let person: ConsoleOperator
    /// What was agreed to; `nil` where the settings ask for no consent.
    let approval: OperatorApprovalRecord?
    private let stamp: ChangeStamp

    init(base: OperatorServices, person: ConsoleOperator, approval: OperatorApprovalRecord?) {
        (self.base, self.person, self.approval) = (base, person, approval)
        stamp = base.changeLog.stamp(person.request)
    }

    /// Uses the consent up in the transaction of the action: an action that fails leaves it, and of two at once one has it.
    ///
    /// - Throws: ``OperatorError/needsApproval`` when it was used or ended meanwhile, ``OperatorError/signedOut``.
    package func use(in transaction: Transaction) throws {
        guard let approval else { return }
        var stamp = stamp
        stamp.time = base.environment.now()
        try base.requireStill(person, in: transaction)
        guard stamp.time < approval.expiresAt,
            try transaction.deleteOperatorApproval(base.projectID, id: approval.approvalID)
        else { throw OperatorError.needsApproval }
        try stamp.record(.approvalUsed, approval.auditDetail, in: transaction)
    }

    /// Uses the consent up for an action that had nothing to change.
    package func use() async throws { try await base.database.write { try use(in: $0) } }
}

extension OperatorApprovalRecord {
    /// As the audit trail has it.
    var auditDetail: JSONValue {
        [
            "approval": .string(approvalID), "action": .string(action), "operator": .string(operatorID),
            "tenant": tenantID.map(JSONValue.string) ?? .null,
        ]
    }
}
