package import Project
import Storage

/// Makes an operator of somebody who holds an invitation, with a strong factor from the first moment.
package struct OperatorEnrollment: Sendable {
    let base: OperatorServices
    let setup: OperatorFactorSetup
    let sessions: OperatorSessions

    /// Begins with both factors.
    ///
    /// - Parameter email: The operator's address, which only the first start's invitation asks for.
    package func offer(code: String, email: String?) async throws -> OperatorFactorOffer {
        let hash = OperatorInvitations.hash(ofCode: code)
        return try await setup.offer(to: try await holder(of: hash, email), in: .invitation(hash))
    }

    /// Ends with the factor that the holder has chosen.
    ///
    /// - Returns: The token of a session.
    package func enroll(
        code: String,
        email: String?,
        _ factor: NewOperatorFactor,
        from client: CallContext
    ) async throws -> String {
        let hash = OperatorInvitations.hash(ofCode: code)
        let holder = try await holder(of: hash, email)
        let checked = try await setup.check(factor, of: holder.operatorID, in: .invitation(hash), from: client)
        var context = client
        context.actor = ConsoleOperator.actor(holder.email)
        let (stamp, (token, tokenHash)) = (base.changeLog.stamp(context), base.newToken())
        try await base.database.write { transaction throws in
            var record = try accept(hash, holder, at: stamp.time, in: transaction)
            try checked.store(&record, transaction, stamp.time)
            try transaction.updateOperator(base.projectID, record)
            try sessions.begin(tokenHash, of: record, from: client, at: stamp.time, in: transaction)
            let detail: JSONValue = ["factor": .string(checked.name), "role": .string(record.role)]
            try stamp.record(.operatorEnrolled, detail, in: transaction)
        }
        return token
    }

    // Uses the invitation up, and makes or finds the operator, who has no factor then.
    private func accept(
        _ hash: [UInt8],
        _ holder: OperatorCeremony.User,
        at time: Timestamp,
        in transaction: Transaction
    ) throws -> OperatorRecord {
        let project = base.projectID
        let invitation = try transaction.invitation(project, hash: hash, at: time)
        guard try transaction.deleteOperatorInvitation(project, hash: hash) else { throw OperatorError.invitationEnded }
        try transaction.deleteOperatorInvitations(project, email: holder.email)
        var record: OperatorRecord
        if let existing = try transaction.consoleOperator(project, email: holder.email) {
            // A second invitation means that the old factors are lost or doubted.
            record = existing
            for passkey in try transaction.operatorPasskeys(project, operatorID: record.operatorID) {
                let id = passkey.credentialID
                _ = try transaction.deleteOperatorPasskey(project, operatorID: record.operatorID, credentialID: id)
            }
            _ = try transaction.deleteOperatorSessions(project, operatorID: record.operatorID, except: nil)
            record.removePassword()
        } else {
            record = OperatorRecord(
                operatorID: Self.newID(of: hash),
                email: holder.email,
                role: invitation.role,
                tenantID: invitation.tenantID,
                createdAt: time
            )
            try transaction.insertOperator(project, record)
        }
        // The factor was made for the operator that there was, or was to be, when it was checked.
        guard record.operatorID == holder.operatorID else { throw OperatorError.invitationEnded }
        record.lastSignInAt = time
        return record
    }

    // A factor is made for an id before the operator exists, so the invitation decides the id.
    private static func newID(of hash: [UInt8]) -> String { String(hexadecimal(sha256(hash)).prefix(20)) }

    // Whom an invitation is for, and the id that its operator has or gets.
    private func holder(of hash: [UInt8], _ email: String?) async throws -> OperatorCeremony.User {
        let now = base.environment.now()
        return try await base.database.read { transaction in
            let invitation = try transaction.invitation(base.projectID, hash: hash, at: now)
            let address = try Self.address(of: invitation, email)
            let existing = try transaction.consoleOperator(base.projectID, email: address)
            return OperatorCeremony.User(operatorID: existing?.operatorID ?? Self.newID(of: hash), email: address)
        }
    }

    private static func address(of invitation: OperatorInvitationRecord, _ given: String?) throws -> String {
        if let email = invitation.email { return email }
        guard let email = given.flatMap(EmailAddress.canonical), EmailAddress.isMailable(email) else {
            throw OperatorError.invalidEmail
        }
        return email
    }
}
