package import Project
import Storage

/// Signs operators in, and lets those who are signed in prove a factor again.
package struct OperatorSignIn: Sendable {
    let base: OperatorServices
    let passkeys: OperatorPasskeys
    let password: OperatorPassword
    let sessions: OperatorSessions

    /// What a browser needs to use a passkey. It depends on no operator.
    package func passkeyOptions() async throws -> OperatorCeremony { try await passkeys.options(for: .operatorSignIn) }

    /// Signs in.
    ///
    /// - Parameter email: Whose password it is; a passkey says itself whose it is.
    /// - Returns: The token of a session.
    package func signIn(_ factor: OperatorFactor, email: String, from client: CallContext) async throws -> String {
        let proof: Proof
        switch factor {
        case .passkey(let response):
            proof = passkeyProof(try await passkeys.assertion(response, for: .operatorSignIn, from: client))
        case .password(let text, let code):
            // A text that is no address has no operator, but is counted and costs the same.
            let address = EmailAddress.canonical(email)
            if let address { client.refusalFacts.note(claimedOperator: address) }
            let attempt = try await base.throttle.operatorAttempt(email: address ?? "-", address: client.address, base.scope)
            proof = try await passwordProof(text, code, attempt, from: client) { transaction in
                try address.flatMap { try transaction.consoleOperator(base.projectID, email: $0) }
            }
        }
        var context = client
        context.actor = ConsoleOperator.actor(proof.email)
        let (token, hash) = base.newToken()
        try await base.change(.operatorSignedIn, ["factor": .string(factor.name)], by: context) { transaction, now in
            var record = try proof.use(transaction, now)
            record.lastSignInAt = now
            try transaction.updateOperator(base.projectID, record)
            try sessions.begin(hash, of: record, from: client, at: now, in: transaction)
        }
        return token
    }

    /// What a browser needs to prove a passkey of a signed-in operator again.
    package func confirmationOptions(of current: ConsoleOperator) async throws -> OperatorCeremony {
        try await passkeys.options(for: .confirmation(current.sessionHash), known: current.operatorID)
    }

    /// Proves a factor again.
    ///
    /// - Returns: The session's new token: a token from before the proof gains nothing.
    package func confirm(_ current: ConsoleOperator, _ factor: OperatorFactor) async throws -> String {
        let client = current.request
        let proof: Proof
        switch factor {
        case .passkey(let response):
            let verified = try await passkeys.assertion(response, for: .confirmation(current.sessionHash), from: client)
            guard verified.holder.operatorID == current.operatorID else { throw OperatorError.passkeyRefused }
            proof = passkeyProof(verified)
        case .password(let text, let code):
            let attempt = try await base.throttle.operatorAttempt(of: current, address: client.address, base.scope)
            proof = try await passwordProof(text, code, attempt, from: client) { transaction in
                try transaction.consoleOperator(base.projectID, id: current.operatorID)
            }
        }
        let (token, hash) = base.newToken()
        try await base.change(.operatorConfirmed, ["factor": .string(factor.name)], by: client) { transaction, now in
            _ = try proof.use(transaction, now)
            guard
                try transaction.confirmOperatorSession(
                    base.projectID,
                    hash: current.sessionHash,
                    newHash: hash,
                    at: now
                )
            else { throw OperatorError.signedOut }
        }
        return token
    }

    // A factor that was checked. The transaction uses it up, and gets its operator.
    private struct Proof: Sendable {
        let email: String
        let use: @Sendable (Transaction, Timestamp) throws -> OperatorRecord
    }

    private func passkeyProof(_ verified: OperatorPasskeys.Verified) -> Proof {
        Proof(email: verified.holder.email) { try passkeys.accept(verified, at: $1, in: $0) }
    }

    // A try that was not made for want of time does not count.
    private func passwordProof(
        _ text: String,
        _ code: String,
        _ attempt: GuessAttempt,
        from client: CallContext,
        _ find: @escaping @Sendable (Transaction) throws -> OperatorRecord?
    ) async throws -> Proof {
        try await base.throttle.checking(attempt, outcome: { $0 is OperatorError ? .wrong : .unchecked }) {
            let found = try await base.database.read(find)
            let step = try await password.check(text, code: code, of: found, from: client)
            guard let found else { throw OperatorError.wrongCredentials }
            return Proof(email: found.email) { transaction, _ in try transaction.useCode(step, of: found, base.projectID) }
        }
    }
}
