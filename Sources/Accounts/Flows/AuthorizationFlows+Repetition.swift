import Federation
import Foundation
import Project
import Storage
import Tokens

// A client may lose its connection while the provider's code is exchanged, and browsers then send the request again by themselves. The code
// is good once, so what it proved is kept for a client that could not be told (`Docs/Contract/rulings.md` 43, threat case OAU-01). The
// decision about the account is made anew, so that what has been ended since stays ended.
extension AuthorizationFlows {
    // How long a client may come again.
    private static let repetitionLifetime = Duration.seconds(60)

    /// What is kept of a proof: the identity, without the provider's tokens.
    private struct KeptProof: Codable {
        let identity: VerifiedIdentity
        let context: String?
    }

    /// Ends a flow, and finds out what its answer proves.
    ///
    /// - Throws: ``ProviderError`` when the flow is over; the errors of `prove`; `CancellationError` when the client has gone.
    func answered(
        _ flow: AuthorizationFlowRecord,
        by answer: AuthorizationAnswer,
        _ context: CallContext,
        prove: @escaping @Sendable (FlowSecrets) async throws -> VerifiedIdentity
    ) async throws -> Proof {
        let (projectID, stateHash) = (flow.scope.projectID, flow.stateHash)
        let expiresAt = environment.now().advanced(by: Self.repetitionLifetime)
        let record = AnsweredFlowRecord(of: flow, answerHash: answer.hash, expiresAt: expiresAt)
        let isFollowed = context.delivery != nil
        let proof = try await FinishedWork.run { () async throws -> Proof? in
            let isFirst = try await database.write { transaction in
                guard try transaction.deleteAuthorizationFlow(projectID: projectID, stateHash: stateHash) else { return false }
                if isFollowed { try transaction.insertAnsweredFlow(record) }
                return true
            }
            guard isFirst else { return nil }
            do {
                let secrets = try seals.secrets(of: flow)
                return Proof(identity: try await prove(secrets), context: secrets.context)
            } catch {
                // One that cannot be removed expires.
                if isFollowed { try? await Deadline.ofCleanUp { try await forget(flow.scope, stateHash) } }
                throw error
            }
        }
        guard let proof else { return try await repeated(answer, matching: record, context) }
        context.delivery?.whenOver { [scope = flow.scope] isDelivered in
            // Where the store fails, the sign-in is begun anew.
            try? await Deadline.ofCleanUp {
                try await isDelivered ? forget(scope, stateHash) : keep(proof, scope, stateHash)
            }
        }
        try Task.checkCancellation()
        return proof
    }

    private func forget(_ scope: Scope, _ stateHash: [UInt8]) async throws {
        _ = try await database.write { try $0.deleteAnsweredFlow(projectID: scope.projectID, stateHash: stateHash) }
    }

    private func keep(_ proof: Proof, _ scope: Scope, _ stateHash: [UInt8]) async throws {
        let expiresAt = environment.now().advanced(by: Self.repetitionLifetime)
        let kept = KeptProof(identity: proof.identity.withoutTokens, context: proof.context)
        let sealed = try seals.seal(proof: JSONEncoder().encode(kept), scope: scope, expiresAt: expiresAt)
        _ = try await database.write { transaction in
            try transaction.keepProof(sealed, projectID: scope.projectID, stateHash: stateHash, expiresAt: expiresAt)
        }
    }

    /// Finds what an answer proved whose first client has gone; waits for it while that is not known.
    ///
    /// - Throws: ``ProviderError`` when there is no such flow, the first client was told, or the answer is not the same; as
    ///   ``ProviderClients/client(_:scope:)``.
    func repeated(
        _ answer: AuthorizationAnswer,
        sessionID: String?,
        context: CallContext
    ) async throws -> Proof {
        guard let key = answer.key, let sessionID else { throw Self.unknownFlow }
        let (scope, hash) = (context.scope, sha256(key.text.utf8))
        guard let record = try await database.read({ try $0.answeredFlow(projectID: scope.projectID, stateHash: hash) }),
            record.scope == scope, answer.providerID == nil || answer.providerID == record.providerID,
            constantTimeEqual(sha256(sessionID.utf8), record.sessionHash)
        else { throw Self.unknownFlow }
        context.refusalFacts.note(provider: record.providerID)
        return try await repeated(answer, matching: record, context)
    }

    private func repeated(
        _ answer: AuthorizationAnswer,
        matching first: AnsweredFlowRecord,
        _ context: CallContext
    ) async throws -> Proof {
        let (scope, stateHash) = (first.scope, first.stateHash)
        for pause in RepeatedRequest.pauses {
            let record = try await database.read { try $0.answeredFlow(projectID: scope.projectID, stateHash: stateHash) }
            guard let record, environment.now() < record.expiresAt, constantTimeEqual(answer.hash, record.answerHash) else {
                throw Self.unknownFlow
            }
            if let sealed = record.proof { return try await take(sealed, of: record, context) }
            try await Task.sleep(for: pause)
        }
        throw Self.unknownFlow
    }

    private func take(_ sealed: String, of record: AnsweredFlowRecord, _ context: CallContext) async throws -> Proof {
        // The provider may have been switched off since (threat case OID-17).
        let (_, registration) = try await clients.client(record.providerID, scope: record.scope)
        context.refusalFacts.pass(.methodEnabled)
        let kept = try JSONDecoder().decode(KeptProof.self, from: try seals.proof(sealed, scope: record.scope))
        guard registration.clientID == record.clientID,
            try await database.write({ transaction in
                try transaction.deleteAnsweredFlow(projectID: record.scope.projectID, stateHash: record.stateHash)
            })
        else { throw Self.unknownFlow }
        return Proof(identity: kept.identity, context: kept.context, isRepetition: true)
    }
}
