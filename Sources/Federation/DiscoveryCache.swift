import Project

/// The discovery documents of OpenID providers (OpenID Connect Discovery 1.0 §4), for what stands in them beside the keys.
final class DiscoveryCache: Sendable {
    private struct Entry {
        let document: JSONValue
        let expiresAt: Timestamp
    }

    // Issuers are the operator's choice and few; the bound is for safety only.
    private static let maximumIssuers = 64
    private static let lifetime = Duration.seconds(600)

    private let api: ProviderAPI
    private let environment: ServerEnvironment
    private let entries = LockedState<[String: Entry]>([:])

    init(environment: ServerEnvironment) {
        api = ProviderAPI(environment.http)
        self.environment = environment
    }

    /// An endpoint of an issuer.
    ///
    /// - Parameters:
    ///   - name: Its member in the document, such as `userinfo_endpoint`.
    ///   - issuer: Whose; the document must say that it is this one's (§4.3).
    /// - Returns: The endpoint's URL.
    /// - Throws: ``ProviderError``.
    func endpoint(_ name: String, of issuer: String) async throws -> String {
        let now = environment.now()
        let known = entries.withLock { $0[issuer] }
        let document: JSONValue
        if let known, now < known.expiresAt {
            document = known.document
        } else {
            let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
            document = try await api.get(base + "/.well-known/openid-configuration")
            guard document["issuer"]?.string == issuer else { throw ProviderError.malformedAnswer }
            let entry = Entry(document: document, expiresAt: now.advanced(by: Self.lifetime))
            entries.withLock { entries in
                if entries.count >= Self.maximumIssuers { entries.removeAll() }
                entries[issuer] = entry
            }
        }
        guard let url = document[name]?.string else { throw ProviderError.malformedAnswer }
        return url
    }
}

/// What a provider says of the user of an access token (OpenID Connect Core 1.0 §5.3).
struct UserInfo: Sendable {
    private let api: ProviderAPI
    private let discovery: DiscoveryCache

    init(environment: ServerEnvironment) {
        api = ProviderAPI(environment.http)
        discovery = DiscoveryCache(environment: environment)
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
        let url = try await discovery.endpoint("userinfo_endpoint", of: issuer)
        let claims = try await api.get(url, authorization: .bearer(accessToken))
        guard let found = claims["sub"]?.string.flatMap(ProfileText.subject) else { throw ProviderError.malformedAnswer }
        if let subject, subject != found { throw ProviderError.otherUser }
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
