import Foundation
import Project
import Storage
package import WebAuthn

/// Makes an operator of somebody who holds an invitation, with a strong factor from the first moment.
package struct OperatorEnrollment: Sendable {
    let base: OperatorGround
    let passkeys: OperatorPasskeys
    let password: OperatorPassword
    let sessions: OperatorSessions

    /// Begins with a passkey.
    ///
    /// - Parameter email: The operator's address, which only the first start's invitation asks for.
    package func passkeyOptions(code: String, email: String?) async throws -> OperatorCeremony {
        let hash = OperatorInvitations.hash(ofCode: code)
        let (address, existing) = try await holder(of: hash, email)
        return try passkeys.options(
            for: .invitation(hash),
            user: .init(operatorID: existing ?? Self.newID(of: hash), email: address)
        )
    }

    /// Ends with a passkey.
    package func enroll(
        code: String,
        email: String?,
        _ response: AuthenticatorResponse,
        name: String,
        from client: ConsoleClient
    ) async throws -> String {
        let hash = OperatorInvitations.hash(ofCode: code)
        let (registration, challenge) = try passkeys.registration(response, for: .invitation(hash))
        return try await enroll(hash, email, "passkey", from: client) { transaction, record, now in
            try transaction.use(challenge, base.scope)
            try passkeys.insert(registration, of: record.operatorID, named: name, at: now, in: transaction)
        }
    }

    /// Begins with a password and an authenticator app.
    package func totpOffer(code: String, email: String?) async throws -> OperatorPassword.Offer {
        let hash = OperatorInvitations.hash(ofCode: code)
        return try password.offer(for: Self.subject(hash), email: try await holder(of: hash, email).email)
    }

    /// Ends with a password and the first code of the app.
    package func enroll(
        code: String,
        email: String?,
        password text: String,
        totpCode: String,
        offer: String,
        from client: ConsoleClient
    ) async throws -> String {
        let hash = OperatorInvitations.hash(ofCode: code)
        let (_, existing) = try await holder(of: hash, email)
        let prepared = try await password.prepare(
            text,
            code: totpCode,
            offer: offer,
            subject: Self.subject(hash),
            operatorID: existing ?? Self.newID(of: hash),
            from: client
        )
        return try await enroll(hash, email, "password", from: client) { transaction, record, _ in
            guard record.operatorID == existing ?? Self.newID(of: hash) else { throw OperatorError.invitationEnded }
            var record = record
            record.passwordHash = prepared.passwordHash
            record.sealedTOTP = prepared.sealedTOTP
            record.totpStep = prepared.step
            try transaction.updateOperator(base.projectID, record)
        }
    }

    private static func subject(_ hash: [UInt8]) -> String { "invitation:\(hexadecimal(hash))" }

    // A passkey is made for an id before the operator exists, so the invitation decides the id.
    private static func newID(of hash: [UInt8]) -> String { String(hexadecimal(sha256(hash)).prefix(20)) }

    // The address that an invitation is for, and the id of its operator, if there is one.
    private func holder(of hash: [UInt8], _ email: String?) async throws -> (email: String, operatorID: String?) {
        let now = base.environment.now()
        return try await base.database.read { transaction in
            let invitation = try transaction.invitation(base.projectID, hash: hash, at: now)
            let address = try Self.address(of: invitation, email)
            return (address, try transaction.consoleOperator(base.projectID, email: address)?.operatorID)
        }
    }

    private static func address(of invitation: OperatorInvitationRecord, _ given: String?) throws -> String {
        if let email = invitation.email { return email }
        guard let email = given.flatMap(EmailAddress.canonical), EmailAddress.isMailable(email) else {
            throw OperatorError.invalidEmail
        }
        return email
    }

    private func enroll(
        _ hash: [UInt8],
        _ email: String?,
        _ factor: String,
        from client: ConsoleClient,
        _ addFactor: @escaping @Sendable (any Transaction, OperatorRecord, Timestamp) throws -> Void
    ) async throws -> String {
        let (now, project, eventID) = (base.environment.now(), base.projectID, base.environment.newEventID())
        let (token, session) = sessions.newSession(from: client, at: now)
        try await base.database.write { transaction throws in
            let invitation = try transaction.invitation(project, hash: hash, at: now)
            guard try transaction.deleteOperatorInvitation(project, hash: hash) else { throw OperatorError.invitationEnded }
            let address = try Self.address(of: invitation, email)
            var record: OperatorRecord
            if let existing = try transaction.consoleOperator(project, email: address) {
                // A second invitation means that the old factors are lost or doubted.
                record = existing
                try transaction.deleteFactors(of: record, project)
                (record.passwordHash, record.sealedTOTP, record.totpStep) = (nil, nil, nil)
            } else {
                record = OperatorRecord(
                    operatorID: Self.newID(of: hash),
                    email: address,
                    role: invitation.role,
                    tenantID: invitation.tenantID,
                    createdAt: now
                )
                try transaction.insertOperator(project, record)
            }
            record.lastSignInAt = now
            try transaction.updateOperator(project, record)
            try addFactor(transaction, record, now)
            try transaction.deleteOperatorInvitations(project, email: address)
            try transaction.insertOperatorSession(project, session(record.operatorID))
            let detail: JSONValue = ["factor": .string(factor), "role": .string(record.role)]
            let actor = ConsoleOperator.actor(address)
            let event = base.event(.operatorEnrolled, actor: actor, client: client, detail, id: eventID, at: now)
            try transaction.insertAuditEvent(base.scope, event)
        }
        return token
    }
}

extension Transaction {
    /// Removes all factors and sessions of an operator.
    fileprivate func deleteFactors(of record: OperatorRecord, _ project: String) throws {
        for passkey in try operatorPasskeys(project, operatorID: record.operatorID) {
            _ = try deleteOperatorPasskey(project, operatorID: record.operatorID, credentialID: passkey.credentialID)
        }
        _ = try deleteOperatorSessions(project, operatorID: record.operatorID, except: nil)
    }
}
