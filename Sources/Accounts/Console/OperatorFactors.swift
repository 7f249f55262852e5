import Project
package import Storage

/// The factors of an operator who is signed in. Each change asks for a proof of a factor within the last five minutes, and one
/// strong way to sign in stays.
package struct OperatorFactors: Sendable {
    let base: OperatorServices
    let setup: OperatorFactorSetup

    package struct All: Sendable {
        package let passkeys: [OperatorPasskeyRecord]
        package let hasPassword: Bool
    }

    /// Reads the factors of an operator. Owners see those of others.
    package func all(of operatorID: String, for reader: ConsoleOperator) async throws -> All {
        try reader.requireManagement(of: operatorID)
        return try await base.database.read { transaction in
            guard let record = try transaction.consoleOperator(base.projectID, id: operatorID) else {
                throw OperatorError.unknownOperator
            }
            let keys = try transaction.operatorPasskeys(base.projectID, operatorID: operatorID)
            return All(passkeys: keys, hasPassword: record.hasPassword)
        }
    }

    /// Begins to add a factor.
    package func offer(to current: ConsoleOperator) async throws -> OperatorFactorOffer {
        try current.requireConfirmation()
        let user = OperatorCeremony.User(operatorID: current.operatorID, email: current.email)
        return try await setup.offer(to: user, in: .session(current.sessionHash), known: current.operatorID)
    }

    /// Adds a passkey, or sets password and authenticator app together in place of those before.
    package func add(_ factor: NewOperatorFactor, by current: ConsoleOperator) async throws {
        try current.requireConfirmation()
        let place = OperatorFactorSetup.Place.session(current.sessionHash)
        let checked = try await setup.check(factor, of: current.operatorID, in: place, from: current.request)
        let (kind, detail) = checked.addition
        try await change(kind, detail, by: current) { record, transaction, now in
            try checked.store(&record, transaction, now)
        }
    }

    package func removePasskey(_ credentialID: String, by current: ConsoleOperator) async throws {
        try current.requireConfirmation()
        let detail: JSONValue = ["passkey": .string(credentialID)]
        try await change(.operatorPasskeyRemoved, detail, by: current) { record, transaction, _ in
            let (project, id) = (base.projectID, record.operatorID)
            let keys = try transaction.operatorPasskeys(project, operatorID: id)
            guard record.hasPassword || keys.contains(where: { $0.credentialID != credentialID }) else {
                throw OperatorError.lastFactor
            }
            guard try transaction.deleteOperatorPasskey(project, operatorID: id, credentialID: credentialID) else {
                throw OperatorError.passkeyRefused
            }
        }
    }

    /// Removes password and authenticator app.
    package func removePassword(by current: ConsoleOperator) async throws {
        try current.requireConfirmation()
        try await change(.operatorPasswordRemoved, by: current) { record, transaction, _ in
            guard try !transaction.operatorPasskeys(base.projectID, operatorID: record.operatorID).isEmpty else {
                throw OperatorError.lastFactor
            }
            record.removePassword()
        }
    }

    // The operator's other sessions end with each change: one of them may be a thief's.
    private func change(
        _ kind: AuditEvent.Kind,
        _ detail: JSONValue? = nil,
        by current: ConsoleOperator,
        _ body: @escaping @Sendable (inout OperatorRecord, Transaction, Timestamp) throws -> Void
    ) async throws {
        try await base.change(kind, detail, by: current.request) { transaction, now in
            let project = base.projectID
            guard var record = try transaction.consoleOperator(project, id: current.operatorID),
                try transaction.operatorSession(project, hash: current.sessionHash) != nil
            else { throw OperatorError.signedOut }
            try body(&record, transaction, now)
            try transaction.updateOperator(project, record)
            _ = try transaction.deleteOperatorSessions(project, operatorID: record.operatorID, except: current.sessionHash)
        }
    }
}
