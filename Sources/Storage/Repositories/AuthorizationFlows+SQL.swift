package import Project

/// A sign-in flow that waits for its identity provider's answer, as stored, without its state and its session id.
package struct AuthorizationFlowRecord: Sendable, Hashable {
    /// SHA-256 of the flow's key, which is sent through the browser.
    package let stateHash: [UInt8]
    package let scope: Scope
    package let providerID: String
    /// Our client id at the provider when the flow began.
    package let clientID: String
    package let redirectURI: String
    /// SHA-256 of the session id that completes the flow.
    package let sessionHash: [UInt8]
    /// Nonce, PKCE verifier and other secrets, sealed.
    package let secrets: String
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    /// The web handler's own data for the flow, as JSON.
    package var handlerData: String?
    /// The provider's answer, sealed, if the web handler keeps it out of URLs.
    package var answer: String?

    package init(
        stateHash: [UInt8],
        scope: Scope,
        providerID: String,
        clientID: String,
        redirectURI: String,
        sessionHash: [UInt8],
        secrets: String,
        createdAt: Timestamp,
        expiresAt: Timestamp
    ) {
        self.stateHash = stateHash
        self.scope = scope
        self.providerID = providerID
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.sessionHash = sessionHash
        self.secrets = secrets
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    fileprivate init(row: Row) throws {
        stateHash = try row.bytes("state_hash")
        let tenantID = try row.text("tenant_id")
        scope = Scope(projectID: try row.text("project_id"), tenantID: tenantID.isEmpty ? nil : tenantID)
        providerID = try row.text("provider_id")
        clientID = try row.text("client_id")
        redirectURI = try row.text("redirect_uri")
        sessionHash = try row.bytes("session_hash")
        secrets = try row.text("secrets")
        createdAt = try row.timestamp("created_at")
        expiresAt = try row.timestamp("expires_at")
        handlerData = try row.textIfPresent("handler_data")
        answer = try row.textIfPresent("answer")
    }
}

extension Transaction {
    /// Stores a new flow.
    package func insertAuthorizationFlow(_ flow: AuthorizationFlowRecord) throws {
        try execute(
            """
            INSERT INTO authorization_flows (state_hash, project_id, tenant_id, provider_id, client_id, redirect_uri,
                session_hash, secrets, handler_data, answer, created_at, expires_at)
            VALUES (\(flow.stateHash), \(flow.scope.projectID), \(flow.scope.tenantKey), \(flow.providerID), \(flow.clientID),
                \(flow.redirectURI), \(flow.sessionHash), \(flow.secrets), \(flow.handlerData), \(flow.answer),
                \(flow.createdAt.milliseconds), \(flow.expiresAt.milliseconds))
            """
        )
    }

    /// An open flow of a project, in any of its tenants, also when it has expired.
    package func authorizationFlow(projectID: String, stateHash: [UInt8]) throws -> AuthorizationFlowRecord? {
        try queryOne(
            "SELECT * FROM authorization_flows WHERE state_hash = \(stateHash) AND project_id = \(projectID)"
        ).map(AuthorizationFlowRecord.init(row:))
    }

    /// Stores a provider's answer with its flow.
    ///
    /// - Returns: `false` when the flow has ended or already has an answer.
    package func keepAuthorizationAnswer(projectID: String, stateHash: [UInt8], answer: String) throws -> Bool {
        try execute(
            """
            UPDATE authorization_flows SET answer = \(answer)
            WHERE state_hash = \(stateHash) AND project_id = \(projectID) AND answer IS NULL
            """
        ) > 0
    }

    /// Completes a flow. It can be completed only once.
    package func deleteAuthorizationFlow(projectID: String, stateHash: [UInt8]) throws -> Bool {
        try execute(
            "DELETE FROM authorization_flows WHERE state_hash = \(stateHash) AND project_id = \(projectID)"
        ) > 0
    }

    /// Deletes flows that were not completed in time, in one small batch.
    package func deleteAuthorizationFlows(expiredBefore time: Timestamp, limit: Int) throws -> Int {
        try deleteFirst(
            limit,
            of: "authorization_flows",
            where: "expires_at < \(time.milliseconds)",
            orderedBy: "expires_at"
        )
    }
}
