import Project

/// What a provider says of the user of an access token (OpenID Connect Core 1.0 §5.3).
struct UserInfo: Sendable {
    private let api: ProviderAPI
    private let discovery: DiscoveryCache

    init(environment: ServerEnvironment, discovery: DiscoveryCache) {
        api = ProviderAPI(environment.http)
        self.discovery = discovery
    }

    /// Whether an issuer says who the user of an access token is.
    ///
    /// - Parameter issuer: The issuer.
    /// - Returns: Whether its discovery document names an endpoint for that.
    /// - Throws: ``ProviderError``.
    func isOffered(by issuer: String) async throws -> Bool {
        try await discovery.metadata(of: issuer).userInfoEndpoint != nil
    }

    /// The claims behind an access token.
    ///
    /// - Parameters:
    ///   - issuer: Who issued it.
    ///   - accessToken: The token.
    ///   - subject: Whom the claims must be about (§5.3.2); `nil` when that is what is being asked.
    /// - Returns: The claims.
    /// - Throws: ``ProviderError``.
    func claims(issuer: String, accessToken: String, subject: String?) async throws -> (claims: JSONValue, subject: String) {
        guard let url = try await discovery.metadata(of: issuer).userInfoEndpoint else { throw ProviderError.malformedAnswer }
        let claims = try await api.get(url, authorization: .bearer(accessToken))
        guard let found = claims["sub"]?.string.flatMap(ProfileText.subject) else { throw ProviderError.malformedAnswer }
        if let subject, !bytesEqual(subject, found) { throw ProviderError.otherUser }
        return (claims, found)
    }

    /// The claims of an ID token, and where they lack the e-mail those of the access token beside it.
    ///
    /// - Parameters:
    ///   - token: The verified ID token.
    ///   - credential: What it came with.
    ///   - issuer: Who issued both.
    /// - Returns: The claims; what the signed token says goes before what the provider says beside it.
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
