package import Project

/// A sign-in flow whose provider's answer has been taken, until it is known that the client got what came of it, as stored: without state,
/// session id and answer.
package struct AnsweredFlowRecord: Sendable, Hashable {
    /// SHA-256 of the flow's key.
    package let stateHash: [UInt8]
    package let scope: Scope
    package let providerID: String
    /// Our client id at the provider.
    package let clientID: String
    /// SHA-256 of the session id that completes the flow.
    package let sessionHash: [UInt8]
    /// SHA-256 of the answer that the client brought.
    package let answerHash: [UInt8]
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

    fileprivate init(row: Row) throws {
        stateHash = try row.bytes("state_hash")
        let tenantID = try row.text("tenant_id")
        scope = Scope(projectID: try row.text("project_id"), tenantID: tenantID.isEmpty ? nil : tenantID)
        providerID = try row.text("provider_id")
        clientID = try row.text("client_id")
        sessionHash = try row.bytes("session_hash")
        answerHash = try row.bytes("answer_hash")
        proof = try row.textIfPresent("proof")
        expiresAt = try row.timestamp("expires_at")
    }
}

extension Transaction {
    /// Stores that a flow's answer has been taken.
    package func insertAnsweredFlow(_ flow: AnsweredFlowRecord) throws {
        try execute(
            """
            INSERT INTO answered_flows (state_hash, project_id, tenant_id, provider_id, client_id, session_hash, answer_hash, proof,
                expires_at)
            VALUES (\(flow.stateHash), \(flow.scope.projectID), \(flow.scope.tenantKey), \(flow.providerID), \(flow.clientID),
                \(flow.sessionHash), \(flow.answerHash), \(flow.proof), \(flow.expiresAt.milliseconds))
            """
        )
    }

    /// A flow of a project whose answer has been taken, in any of its tenants, also when it has expired.
    package func answeredFlow(projectID: String, stateHash: [UInt8]) throws -> AnsweredFlowRecord? {
        try queryOne(
            "SELECT * FROM answered_flows WHERE state_hash = \(stateHash) AND project_id = \(projectID)"
        ).map(AnsweredFlowRecord.init(row:))
    }

    /// Keeps what an answer proved for a client that could not be told.
    ///
    /// - Returns: `false` when the flow is forgotten, or has a proof.
    package func keepProof(_ proof: String, projectID: String, stateHash: [UInt8], expiresAt: Timestamp) throws -> Bool {
        try execute(
            """
            UPDATE answered_flows SET proof = \(proof), expires_at = \(expiresAt.milliseconds)
            WHERE state_hash = \(stateHash) AND project_id = \(projectID) AND proof IS NULL
            """
        ) > 0
    }

    /// Forgets a flow whose answer has been taken. Its proof can be used only by whom it deletes it for.
    @discardableResult
    package func deleteAnsweredFlow(projectID: String, stateHash: [UInt8]) throws -> Bool {
        try execute("DELETE FROM answered_flows WHERE state_hash = \(stateHash) AND project_id = \(projectID)") > 0
    }

    /// Deletes flows whose client did not come again in time, in one small batch.
    package func deleteAnsweredFlows(expiredBefore time: Timestamp, limit: Int) throws -> Int {
        try deleteFirst(limit, of: "answered_flows", where: "expires_at < \(time.milliseconds)", orderedBy: "expires_at")
    }
}
