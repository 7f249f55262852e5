package import Project

/// A sign-in flow whose provider's answer has been taken, until it is known that the client got what came of it, as stored: without state,
/// session id and answer.
package struct AnsweredFlowRecord: Sendable, Hashable {
    /// SHA-256 of the flow's key.
    package internal(set) var stateHash: [UInt8]
    package internal(set) var scope: Scope
    package internal(set) var providerID: String
    /// Our client id at the provider.
    package internal(set) var clientID: String
    /// SHA-256 of the session id that completes the flow.
    package internal(set) var sessionHash: [UInt8]
    /// SHA-256 of the answer that the client brought.
    package internal(set) var answerHash: [UInt8]
    /// What the answer proved, sealed, once its client is known to have gone; `nil` before.
    package var proof: String?
    package var expiresAt: Timestamp

    package init(of flow: AuthorizationFlowRecord, answerHash: [UInt8], expiresAt: Timestamp) {
        stateHash = flow.stateHash
        scope = flow.scope
        providerID = flow.providerID
        clientID = flow.clientID
        sessionHash = flow.sessionHash
        self.answerHash = answerHash
        self.expiresAt = expiresAt
    }
}

extension AnsweredFlowRecord: StoredRecord {
    static let table = TableDescriptor<Self>("answered_flows", key: ["state_hash"])
    static var blank: Self { Self(of: .blank, answerHash: [], expiresAt: .blank) }

    static func columns(_ column: inout some ColumnVisitor<Self>) {
        column("state_hash", \.stateHash)
        column("project_id", \.scope.projectColumn)
        column("tenant_id", \.scope.tenantColumn)
        column("provider_id", \.providerID)
        column("client_id", \.clientID)
        column("session_hash", \.sessionHash)
        column("answer_hash", \.answerHash)
        column("proof", \.proof)
        column("expires_at", \.expiresAt)
    }
}

extension Transaction {
    /// Stores that a flow's answer has been taken.
    package func insertAnsweredFlow(_ flow: AnsweredFlowRecord) throws {
        try execute(flow.insertion())
    }

    /// A flow of a project whose answer has been taken, in any of its tenants, also when it has expired.
    package func answeredFlow(projectID: String, stateHash: [UInt8]) throws -> AnsweredFlowRecord? {
        try first("WHERE state_hash = \(stateHash) AND project_id = \(projectID)")
    }

    /// Keeps what an answer proved for a client that could not be told.
    ///
    /// - Returns: `false` when the flow is forgotten, or has a proof.
    package func keepProof(_ proof: String, projectID: String, stateHash: [UInt8], expiresAt: Timestamp) throws -> Bool {
        try execute(
            """
            UPDATE answered_flows SET proof = \(proof), expires_at = \(expiresAt)
            WHERE state_hash = \(stateHash) AND project_id = \(projectID) AND proof IS NULL
            """
        ) > 0
    }

    /// Forgets a flow whose answer has been taken. Its proof can be used only by whom it deletes it for.
    @discardableResult
    package func deleteAnsweredFlow(projectID: String, stateHash: [UInt8]) throws -> Bool {
        try execute("DELETE FROM answered_flows WHERE state_hash = \(stateHash) AND project_id = \(projectID)") > 0
    }
}
