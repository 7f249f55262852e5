import Project

/// Reads a provider's user info for an access token (OpenID Connect Core 1.0 §5.3).
struct UserInfo: Sendable {
    private let api: ProviderAPI
    private let discovery: DiscoveryCache

    init(environment: ServerEnvironment, discovery: DiscoveryCache) {
        api = ProviderAPI(environment.http)
        self.discovery = discovery
    }

    /// Whether an issuer has a user-info endpoint.
    ///
    /// - Parameter issuer: The issuer.
    /// - Returns: Whether its discovery document names one.
    /// - Throws: ``ProviderError``.
    func isOffered(by issuer: String) async throws -> Bool {
        try await discovery.metadata(of: issuer).userInfoEndpoint != nil
    }

    /// The claims of an access token's user.
    ///
    /// - Parameters:
    ///   - issuer: The issuer of the token.
    ///   - accessToken: The token.
    ///   - subject: The user that the claims must be about (§5.3.2); `nil` when the user is not known yet.
    /// - Returns: The claims.
    /// - Throws: ``ProviderError``.
    func claims(issuer: String, accessToken: String, subject: String?) async throws -> (claims: JSONValue, subject: String) {
        guard let url = try await discovery.metadata(of: issuer).userInfoEndpoint else { throw ProviderError.malformedAnswer }
        let claims = try await api.get(url, authorization: .bearer(accessToken))
        guard let found = claims["sub"]?.string.flatMap(ProfileText.subject) else { throw ProviderError.malformedAnswer }
        if let subject, !bytesEqual(subject, found) { throw ProviderError.otherUser }
        return (claims, found)
    }

    /// The claims of an ID token. If they lack the e-mail, the user info of the access token is added.
    ///
    /// - Parameters:
    ///   - token: The verified ID token.
    ///   - credential: The credential with both tokens.
    ///   - issuer: The issuer of both tokens.
    /// - Returns: The claims. Those of the signed ID token take precedence.
    /// - Throws: ``ProviderError``.
    func completing(
        _ token: OIDCVerifier.Verified,
        of credential: IdPCredential,
        issuer: String
    ) async throws -> JSONValue {
        guard token.claims["email"] == nil, credential.accessToken != nil else { return token.claims }
        let accessToken = try credential.requireAccessToken()
        return try await claims(issuer: issuer, accessToken: accessToken, subject: token.subject).claims.merging(token.claims)
    }
}
