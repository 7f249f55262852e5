import Project
package import Storage

/// Another operator's consent to an action: found, and not used up before the action happens.
package struct OperatorConsent: Sendable {
    let base: OperatorGround
    let person: ConsoleOperator
    let client: ConsoleClient
    /// What was agreed to; `nil` where the settings ask for no consent.
    let approval: OperatorApprovalRecord?
    let eventID: String

    /// Uses the consent up in the transaction of the action: an action that fails leaves it, and of two at once one has it.
    ///
    /// - Throws: ``OperatorError/needsApproval`` when it was used or ended meanwhile, ``OperatorError/signedOut``.
    package func use(in transaction: any Transaction) throws {
        guard let approval else { return }
        let now = base.environment.now()
        try base.requireStill(person, in: transaction)
        guard now < approval.expiresAt, try transaction.deleteOperatorApproval(base.projectID, id: approval.approvalID) else {
            throw OperatorError.needsApproval
        }
        let event = base.event(.approvalUsed, of: approval, by: person, from: client, id: eventID, at: now)
        try transaction.insertAuditEvent(base.scope, event)
    }

    /// Uses the consent up for an action that had nothing to change.
    package func use() async throws { try await base.database.write { try use(in: $0) } }
}

extension OperatorGround {
    /// Makes an audit record of what happened to a request.
    func event(
        _ kind: AuditEvent.Kind,
        of record: OperatorApprovalRecord,
        by person: ConsoleOperator,
        from client: ConsoleClient,
        id: String,
        at time: Timestamp
    ) -> AuditEvent {
        let detail: JSONValue = [
            "approval": .string(record.approvalID), "action": .string(record.action),
            "operator": .string(record.operatorID), "tenant": record.tenantID.map(JSONValue.string) ?? .null,
        ]
        return event(kind, actor: person.actor, client: client, detail, id: id, at: time)
    }
}
