package import Federation
package import Project
import Storage

extension AuthorizationFlows {
    /// A pending flow, as the web handler needs it when the provider's answer arrives.
    package struct Waiting: Sendable {
        package let scope: Scope
        package let providerID: String
        package let redirectURI: String
        /// The session id that the app needs; `nil` when only the app knows it.
        package let sessionID: String?
        /// The data that the handler stored when the flow began.
        package let handlerData: JSONValue?
        /// Whether an answer has been stored already.
        package let hasAnswer: Bool
        package let expiresAt: Timestamp
    }

    /// Finds the flow that an answer belongs to.
    package func waiting(for key: FlowKey, projectID: String) async throws -> Waiting? {
        guard let flow = try await record(key, projectID: projectID), let secrets = try? seals.secrets(of: flow) else {
            return nil
        }
        return Waiting(
            scope: flow.scope,
            providerID: flow.providerID,
            redirectURI: flow.redirectURI,
            sessionID: secrets.sessionID,
            handlerData: flow.handlerData.flatMap { try? JSONValue.parse($0.utf8) },
            hasAnswer: flow.answer != nil,
            expiresAt: flow.expiresAt
        )
    }

    /// Stores a provider's answer with its flow, so that no token is part of a URL (`Docs/Contract/web-handler.md` §3, 6). A
    /// second answer does not replace the first.
    ///
    /// - Parameter form: The posted body, or the query or fragment: form pairs, `state` among them.
    /// - Returns: `false` when the flow is unknown, over, expired, or has an answer, or when the form is too long or none that a
    ///   provider sends.
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`.
    package func keep(form: String, for key: FlowKey, context: CallContext) async throws -> Bool {
        let projectID = context.scope.projectID
        guard let flow = try await record(key, projectID: projectID), let facts = Providers.facts(of: flow.providerID),
            form.utf8.count <= facts.longestAnswer, FlowSealer.mayBeAnswer(form)
        else { return false }
        try await throttle.answer(ofBytes: form.utf8.count, context: context)
        let sealed = try seals.seal(answer: form, of: flow)
        return try await database.write { transaction in
            try transaction.keepAuthorizationAnswer(projectID: projectID, stateHash: flow.stateHash, answer: sealed)
        }
    }

    /// The open flow of a key; `nil` when it is unknown, over or has expired.
    func record(_ key: FlowKey, projectID: String) async throws -> AuthorizationFlowRecord? {
        let hash = sha256(key.text.utf8)
        let flow = try await database.read { try $0.authorizationFlow(projectID: projectID, stateHash: hash) }
        return flow.flatMap { environment.now() < $0.expiresAt ? $0 : nil }
    }
}
