import Project
package import Storage
package import WebAuthn

/// The factors of an operator who is signed in. Each change asks for a proof of a factor within the last five minutes, and one
/// strong way to sign in stays.
package struct OperatorFactors: Sendable {
    let base: OperatorGround
    let passkeys: OperatorPasskeys
    let password: OperatorPassword

    /// What an operator has.
    package struct All: Sendable {
        package let passkeys: [OperatorPasskeyRecord]
        package let hasPassword: Bool
    }

    /// Reads the factors of an operator. Owners see those of others.
    package func all(of operatorID: String, for reader: ConsoleOperator) async throws -> All {
        if operatorID != reader.operatorID { try reader.requireManagement() }
        return try await base.database.read { transaction in
            guard let record = try transaction.consoleOperator(base.projectID, id: operatorID) else {
                throw OperatorError.unknownOperator
            }
            let keys = try transaction.operatorPasskeys(base.projectID, operatorID: operatorID)
            return All(passkeys: keys, hasPassword: record.hasPassword)
        }
    }

    /// Begins to add a passkey.
    package func passkeyOptions(for current: ConsoleOperator) async throws -> OperatorCeremony {
        try current.requireConfirmation()
        let known = try await base.database.read { try $0.operatorPasskeys(base.projectID, operatorID: current.operatorID) }
        return try passkeys.options(
            for: .addition(current.sessionHash),
            user: .init(operatorID: current.operatorID, email: current.email),
            known: known.map(\.credentialID)
        )
    }

    /// Adds a passkey.
    package func addPasskey(
        _ response: AuthenticatorResponse,
        name: String,
        by current: ConsoleOperator,
        from client: ConsoleClient
    ) async throws {
        try current.requireConfirmation()
        let (registration, challenge) = try passkeys.registration(response, for: .addition(current.sessionHash))
        let id = Base64URL.encode(registration.credentialID)
        try await change(.operatorPasskeyAdded, ["passkey": .string(id)], by: current, from: client) { transaction, _, now in
            try transaction.use(challenge, base.scope)
            try passkeys.insert(registration, of: current.operatorID, named: name, at: now, in: transaction)
        }
    }

    /// Removes a passkey.
    package func removePasskey(_ credentialID: String, by current: ConsoleOperator, from client: ConsoleClient) async throws {
        try current.requireConfirmation()
        let detail: JSONValue = ["passkey": .string(credentialID)]
        try await change(.operatorPasskeyRemoved, detail, by: current, from: client) { transaction, record, _ in
            let keys = try transaction.operatorPasskeys(base.projectID, operatorID: record.operatorID)
            guard record.hasPassword || keys.contains(where: { $0.credentialID != credentialID }) else {
                throw OperatorError.lastFactor
            }
            guard
                try transaction.deleteOperatorPasskey(
                    base.projectID,
                    operatorID: record.operatorID,
                    credentialID: credentialID
                )
            else { throw OperatorError.passkeyRefused }
        }
    }

    /// Draws a secret for an authenticator app.
    package func totpOffer(for current: ConsoleOperator) throws -> OperatorPassword.Offer {
        try current.requireConfirmation()
        return try password.offer(for: Self.subject(current), email: current.email)
    }

    /// Sets password and authenticator app together, in place of those before.
    package func setPassword(
        _ text: String,
        code: String,
        offer: String,
        by current: ConsoleOperator,
        from client: ConsoleClient
    ) async throws {
        try current.requireConfirmation()
        let prepared = try await password.prepare(
            text,
            code: code,
            offer: offer,
            subject: Self.subject(current),
            operatorID: current.operatorID,
            from: client
        )
        try await change(.operatorPasswordSet, by: current, from: client) { transaction, record, _ in
            var record = record
            record.passwordHash = prepared.passwordHash
            record.sealedTOTP = prepared.sealedTOTP
            record.totpStep = prepared.step
            try transaction.updateOperator(base.projectID, record)
        }
    }

    /// Removes password and authenticator app.
    package func removePassword(by current: ConsoleOperator, from client: ConsoleClient) async throws {
        try current.requireConfirmation()
        try await change(.operatorPasswordRemoved, by: current, from: client) { transaction, record, _ in
            guard try !transaction.operatorPasskeys(base.projectID, operatorID: record.operatorID).isEmpty else {
                throw OperatorError.lastFactor
            }
            var record = record
            (record.passwordHash, record.sealedTOTP, record.totpStep) = (nil, nil, nil)
            try transaction.updateOperator(base.projectID, record)
        }
    }

    // An offer belongs to one session, so that none is planted for another.
    private static func subject(_ current: ConsoleOperator) -> String { "session:\(hexadecimal(current.sessionHash))" }

    // The operator's other sessions end with each change: one of them may be a thief's.
    private func change(
        _ kind: AuditEvent.Kind,
        _ detail: JSONValue? = nil,
        by current: ConsoleOperator,
        from client: ConsoleClient,
        _ body: @escaping @Sendable (any Transaction, OperatorRecord, Timestamp) throws -> Void
    ) async throws {
        let (now, project, eventID) = (base.environment.now(), base.projectID, base.environment.newEventID())
        try await base.database.write { transaction throws in
            guard let record = try transaction.consoleOperator(project, id: current.operatorID),
                try transaction.operatorSession(project, hash: current.sessionHash) != nil
            else { throw OperatorError.signedOut }
            try body(transaction, record, now)
            _ = try transaction.deleteOperatorSessions(project, operatorID: record.operatorID, except: current.sessionHash)
            let event = base.event(kind, actor: current.actor, client: client, detail, id: eventID, at: now)
            try transaction.insertAuditEvent(base.scope, event)
        }
    }
}
