package import Project

/// A sign-in flow that waits for its identity provider's answer, as stored, without its state and its session id.
package struct AuthorizationFlowRecord: Sendable, Hashable {
    /// SHA-256 of the flow's key, which is sent through the browser.
    package internal(set) var stateHash: [UInt8]
    package internal(set) var scope: Scope
    package internal(set) var providerID: String
    /// Our client id at the provider when the flow began.
    package internal(set) var clientID: String
    package internal(set) var redirectURI: String
    /// SHA-256 of the session id that completes the flow.
    package internal(set) var sessionHash: [UInt8]
    /// Nonce, PKCE verifier and other secrets, sealed.
    package internal(set) var secrets: String
    package internal(set) var createdAt: Timestamp
    package internal(set) var expiresAt: Timestamp
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
}

extension AuthorizationFlowRecord: StoredRecord {
    static let table = TableDescriptor<Self>("authorization_flows", key: ["state_hash"])
    static var blank: Self {
        Self(
            stateHash: [],
            scope: .blank,
            providerID: "",
            clientID: "",
            redirectURI: "",
            sessionHash: [],
            secrets: "",
            createdAt: .blank,
            expiresAt: .blank
        )
    }

    static func columns(_ column: inout some ColumnVisitor<Self>) {
        column("state_hash", \.stateHash)
        column("project_id", \.scope.projectColumn)
        column("tenant_id", \.scope.tenantColumn)
        column("provider_id", \.providerID)
        column("client_id", \.clientID)
        column("redirect_uri", \.redirectURI)
        column("session_hash", \.sessionHash)
        column("secrets", \.secrets)
        column("handler_data", \.handlerData)
        column("answer", \.answer)
        column("created_at", \.createdAt)
        column("expires_at", \.expiresAt)
    }
}

extension Transaction {
    /// Stores a new flow.
    package func insertAuthorizationFlow(_ flow: AuthorizationFlowRecord) throws {
        try execute(flow.insertion())
    }

    /// An open flow of a project, in any of its tenants, also when it has expired.
    package func authorizationFlow(projectID: String, stateHash: [UInt8]) throws -> AuthorizationFlowRecord? {
        try first("WHERE state_hash = \(stateHash) AND project_id = \(projectID)")
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
}
