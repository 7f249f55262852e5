import Project

/// Reads a provider's user info for an access token (OpenID Connect Core 1.0 §5.3).
struct UserInfo: Sendable {
    private let api: ProviderAPI
    private let verifier: OIDCVerifier
    private let discovery: DiscoveryCache

    init(api: ProviderAPI, verifier: OIDCVerifier, discovery: DiscoveryCache) {
        self.api = api
        self.verifier = verifier
        self.discovery = discovery
    }

    /// Whether an issuer has a user-info endpoint.
    func isOffered(by issuer: String) async throws -> Bool {
        try await discovery.metadata(of: issuer).userInfoEndpoint != nil
    }

    /// The claims of an access token's user. Signed user info is verified.
    ///
    /// - Parameter subject: The user that the claims must be about (§5.3.2); `nil` when the user is not known yet.
    func claims(
        issuer: String,
        audiences: [String],
        accessToken: String,
        subject: String?
    ) async throws -> (claims: JSONValue, subject: String) {
        guard let url = try await discovery.metadata(of: issuer).userInfoEndpoint else { throw ProviderError.malformedAnswer }
        let claims: JSONValue
        switch try await api.document(at: url, authorization: .bearer(accessToken)) {
        case .json(let document): claims = document
        case .token(let text): claims = try await verifier.verifyUserInfo(text, issuer: issuer, audiences: audiences)
        }
        guard let found = claims["sub"]?.string.flatMap(ProfileText.subject) else { throw ProviderError.malformedAnswer }
        if let subject, !bytesEqual(subject, found) { throw ProviderError.otherUser }
        return (claims, found)
    }

    /// The claims of an ID token. If they lack the e-mail, the user info of the access token is added.
    ///
    /// - Returns: The claims. Those of the signed ID token take precedence.
    func completing(
        _ token: OIDCVerifier.Verified,
        of credential: IdPCredential,
        issuer: String,
        audiences: [String]
    ) async throws -> JSONValue {
        guard token.claims["email"] == nil, credential.accessToken != nil else { return token.claims }
        let accessToken = try credential.requireAccessToken()
        return try await claims(
            issuer: issuer,
            audiences: audiences,
            accessToken: accessToken,
            subject: token.subject
        ).claims.merging(token.claims)
    }
}
