import Project

/// Google: ID tokens and access tokens of our client ids (`google.com`).
struct GoogleProvider: IdentityProvider {
    private let verifier: OIDCVerifier
    private let api: ProviderAPI
    private let userInfo: UserInfo
    private let issuers: [String]
    private let discoveryIssuer: String
    private let tokenInfo: String

    static let realIssuer = "https://accounts.google.com"

    /// - Parameters:
    ///   - verifier: The tool that verifies ID tokens.
    ///   - api: Checks access tokens.
    ///   - userInfo: Reads the profile of an access token's user.
    ///   - endpoint: `endpoints.google` when overridden. It is then the only accepted issuer.
    ///   - tokenInfo: `endpoints.googleTokenInfo`.
    init(verifier: OIDCVerifier, api: ProviderAPI, userInfo: UserInfo, endpoint: String?, tokenInfo: String) {
        self.verifier = verifier
        self.api = api
        self.userInfo = userInfo
        self.tokenInfo = tokenInfo
        discoveryIssuer = endpoint ?? Self.realIssuer
        // Google writes its issuer with and without the scheme.
        issuers = endpoint.map { [$0] } ?? [Self.realIssuer, "accounts.google.com"]
    }

    func serves(_ providerID: String) -> Bool { providerID == "google.com" }

    func verify(_ credential: IdPCredential, config: IdPConfig) async throws -> VerifiedIdentity {
        guard let idToken = credential.idToken else { return try await verifyAccessToken(credential, config: config) }
        let token = try await verifier.verify(
            idToken,
            of: credential,
            policy: .init(
                issuers: issuers,
                audiences: config.audiences,
                keys: .discovery(issuer: discoveryIssuer),
                nonce: .hashOrExact
            )
        )
        var identity = Self.identity(credential, subject: token.subject, claims: token.claims)
        identity.singleUses = token.singleUse.map { [$0] } ?? []
        return identity
    }

    // `contract/rulings.md` 18.
    private func verifyAccessToken(_ credential: IdPCredential, config: IdPConfig) async throws -> VerifiedIdentity {
        guard credential.accessToken != nil else {
            throw APIError(
                .invalidCredentialOrProviderID,
                "The credential of \(credential.providerID) must have an id_token or an access_token."
            )
        }
        let token = try credential.requireAccessToken()
        let check = try await api.get(tokenInfo, query: [("access_token", token)])
        let holders = [check["aud"]?.string, check["azp"]?.string].compactMap { $0 }
        guard holders.contains(where: config.audiences.containsBytes) else { throw ProviderError.foreignToken }
        let seconds = check["expires_in"].flatMap { $0.integer ?? $0.string.flatMap { Int64($0) } }
        guard let seconds, seconds > 0 else { throw ProviderError(.claims, "The access token has expired.") }
        let (claims, subject) = try await userInfo.claims(
            issuer: discoveryIssuer,
            accessToken: token,
            subject: check["sub"]?.string
        )
        var identity = Self.identity(credential, subject: subject, claims: claims)
        if let scopes = check["scope"]?.string { identity.rawUserInfo["granted_scopes"] = .string(scopes) }
        identity.accessTokenSeconds = seconds
        return identity
    }

    private static func identity(_ credential: IdPCredential, subject: String, claims: JSONValue) -> VerifiedIdentity {
        var identity = VerifiedIdentity(providerID: credential.providerID, rawID: subject, rawUserInfo: rawUserInfo(claims))
        if let scopes = credential.grantedScopes { identity.rawUserInfo["granted_scopes"] = .string(scopes) }
        identity.federatedID = "https://accounts.google.com/\(subject)"
        identity.takeStandardClaims(claims)
        identity.isEmailVerified = identity.email != nil && claims["email_verified"]?.bool == true
        identity.takeTokens(of: credential)
        return identity
    }

    // Google's user-info names, which SDKs show as `profile` (`contract/client-accounts.md` §5.4). The scopes are derived from
    // the claims, because an ID token does not name them.
    static func rawUserInfo(_ claims: JSONValue) -> JSONValue {
        let names = [
            "sub": "id", "name": "name", "given_name": "given_name", "family_name": "family_name", "email": "email",
            "email_verified": "verified_email", "locale": "locale", "picture": "picture", "hd": "hd",
        ]
        var profile: JSONObject = [:]
        for (claim, name) in names { profile[name] = claims[claim] }
        let granted = ["profile"] + (claims["email"] == nil ? [] : ["email"])
        let scopes = ["openid"] + granted.map { "https://www.googleapis.com/auth/userinfo.\($0)" }
        profile["granted_scopes"] = .string(scopes.joined(separator: " "))
        return .object(profile)
    }
}
