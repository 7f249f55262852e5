import Foundation
import Project
import Storage
package import WebAuthn

/// Signs operators in, and lets those who are signed in prove a factor again.
package struct OperatorSignIn: Sendable {
    let base: OperatorGround
    let passkeys: OperatorPasskeys
    let password: OperatorPassword
    let sessions: OperatorSessions

    /// What a browser needs to use a passkey. It depends on no operator.
    package func passkeyOptions() throws -> OperatorCeremony { try passkeys.options(for: .signIn) }

    /// Signs in with a passkey.
    package func signIn(_ response: AuthenticatorResponse, from client: ConsoleClient) async throws -> String {
        let verified = try await passkeys.assertion(response, for: .signIn, from: client)
        return try await begin(from: client, factor: "passkey") { transaction, now in
            try passkeys.accept(verified, at: now, in: transaction)
            return try transaction.consoleOperator(base.projectID, id: verified.operatorID)
        }
    }

    /// Signs in with a password and a code.
    package func signIn(email: String, password text: String, code: String, from client: ConsoleClient) async throws -> String {
        // A text that is no address has no operator, but is counted and costs the same.
        let address = EmailAddress.canonical(email)
        if let address { client.claims(address) }
        let attempt = { try await base.throttle.operatorAttempt(email: address ?? "-", address: client.address, base.scope) }
        let (record, step) = try await counted(attempt) { () -> (OperatorRecord, Int64) in
            let found = try await base.database.read { transaction in
                try address.flatMap { try transaction.consoleOperator(base.projectID, email: $0) }
            }
            let step = try await password.check(text, code: code, of: found, from: client)
            guard let found else { throw OperatorError.wrongCredentials }
            return (found, step)
        }
        return try await begin(from: client, factor: "password") { transaction, _ in
            try transaction.useCode(step, of: record, base.projectID)
        }
    }

    /// What a browser needs to prove a passkey of a signed-in operator again.
    package func confirmationOptions(of current: ConsoleOperator) async throws -> OperatorCeremony {
        let known = try await base.database.read { try $0.operatorPasskeys(base.projectID, operatorID: current.operatorID) }
        return try passkeys.options(for: .confirmation(current.sessionHash), known: known.map(\.credentialID))
    }

    /// Proves a factor again by a passkey.
    ///
    /// - Returns: The session's new token: a token from before the proof gains nothing.
    package func confirm(
        _ current: ConsoleOperator,
        _ response: AuthenticatorResponse,
        from client: ConsoleClient
    ) async throws -> String {
        let verified = try await passkeys.assertion(response, for: .confirmation(current.sessionHash), from: client)
        guard verified.operatorID == current.operatorID else { throw OperatorError.passkeyRefused }
        return try await renew(current, from: client, factor: "passkey") { transaction, now in
            try passkeys.accept(verified, at: now, in: transaction)
        }
    }

    /// Proves a factor again by password and code.
    package func confirm(
        _ current: ConsoleOperator,
        password text: String,
        code: String,
        from client: ConsoleClient
    ) async throws -> String {
        let attempt = { try await base.throttle.operatorAttempt(of: current, address: client.address, base.scope) }
        let (record, step) = try await counted(attempt) { () -> (OperatorRecord, Int64) in
            let found = try await base.database.read { try $0.consoleOperator(base.projectID, id: current.operatorID) }
            let step = try await password.check(text, code: code, of: found, from: client)
            guard let found else { throw OperatorError.wrongCredentials }
            return (found, step)
        }
        return try await renew(current, from: client, factor: "password") { transaction, _ in
            _ = try transaction.useCode(step, of: record, base.projectID)
        }
    }

    private func begin(
        from client: ConsoleClient,
        factor: String,
        _ prove: @escaping @Sendable (any Transaction, Timestamp) throws -> OperatorRecord?
    ) async throws -> String {
        let (now, project, eventID) = (base.environment.now(), base.projectID, base.environment.newEventID())
        let (token, session) = sessions.newSession(from: client, at: now)
        try await base.database.write { transaction throws in
            guard var record = try prove(transaction, now) else { throw OperatorError.wrongCredentials }
            record.lastSignInAt = now
            try transaction.updateOperator(project, record)
            try sessions.begin(session(record.operatorID), in: transaction)
            let detail: JSONValue = ["factor": .string(factor)]
            let actor = ConsoleOperator.actor(record.email)
            let event = base.event(.operatorSignedIn, actor: actor, client: client, detail, id: eventID, at: now)
            try transaction.insertAuditEvent(base.scope, event)
        }
        return token
    }

    private func renew(
        _ current: ConsoleOperator,
        from client: ConsoleClient,
        factor: String,
        _ prove: @escaping @Sendable (any Transaction, Timestamp) throws -> Void
    ) async throws -> String {
        let (now, project, eventID) = (base.environment.now(), base.projectID, base.environment.newEventID())
        let (token, hash) = base.newToken()
        try await base.database.write { transaction throws in
            try prove(transaction, now)
            guard try transaction.confirmOperatorSession(project, hash: current.sessionHash, newHash: hash, at: now) else {
                throw OperatorError.signedOut
            }
            let detail: JSONValue = ["factor": .string(factor)]
            let event = base.event(.operatorConfirmed, actor: current.actor, client: client, detail, id: eventID, at: now)
            try transaction.insertAuditEvent(base.scope, event)
        }
        return token
    }

    // Counts a try before it is made, and reports how it ended: a try that was not made for want of time does not count.
    private func counted<Value>(
        _ begin: () async throws -> GuessAttempt,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let attempt = try await begin()
        do {
            let value = try await body()
            try await base.throttle.succeeded(attempt)
            return value
        } catch let error as OperatorError {
            // One whose outcome cannot be written is taken for lost after a while.
            try? await Deadline.ofCleanUp { try await base.throttle.failed(attempt) }
            throw error
        } catch {
            try await Deadline.ofCleanUp { try await base.throttle.abandoned(attempt) }
            throw error
        }
    }
}
