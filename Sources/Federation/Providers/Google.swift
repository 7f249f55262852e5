import Project

/// Google (`google.com`): ID tokens and access tokens of our client ids.
struct GoogleProvider: AuthorizationProvider {
    static let facts = ProviderFacts(
        id: "google.com",
        label: "Google",
        endpoints: [issuer, tokenInfo],
        takesHostedDomain: true,
        federatedIDPrefix: federatedIDPrefix
    )
    private static let federatedIDPrefix = "https://accounts.google.com/"

    // Google writes its issuer with and without the scheme.
    static let issuer = ProviderEndpoint(
        "google",
        at: "https://accounts.google.com",
        "Google's issuer; its discovery document gives the rest",
        aliases: ["accounts.google.com"]
    )
    static let tokenInfo = ProviderEndpoint(
        "googleTokenInfo",
        at: "https://oauth2.googleapis.com/tokeninfo",
        "checks Google access tokens",
        under: (issuer, "tokeninfo"),
        takesPaths: false
    )

    private let verifier: OIDCVerifier
    private let api: ProviderAPI
    private let userInfo: UserInfo
    private let openID: OpenIDAuthorization
    private let issuers: [String]
    private let discoveryIssuer: String
    private let tokenInfo: String

    init(_ tools: ProviderTools) {
        verifier = tools.verifier
        api = tools.api
        userInfo = tools.userInfo
        openID = tools.openID
        issuers = tools.endpoints.issuers(Self.issuer)
        discoveryIssuer = tools.endpoints[Self.issuer]
        tokenInfo = tools.endpoints[Self.tokenInfo]
    }

    func keys(for registration: ClientRegistration) -> KeySource? { .discovery(issuer: discoveryIssuer) }

    func verifiesIDTokensFirst(_ config: IdPConfig) -> Bool { true }

    func verify(_ credential: IdPCredential, config: IdPConfig) async throws -> VerifiedIdentity {
        guard let idToken = credential.idToken else { return try await verifyAccessToken(credential, config: config) }
        let token = try await verifier.verify(
            idToken,
            of: credential,
            policy: .init(
                issuers: issuers,
                audiences: config.audiences,
                keys: .discovery(issuer: discoveryIssuer),
                nonce: .google
            )
        )
        var identity = Self.identity(credential, subject: token.subject, claims: token.claims)
        identity.singleUses = token.singleUse.map { [$0] } ?? []
        identity.refusedAfter = token.refusedAfter
        return identity
    }

    // `Docs/Contract/rulings.md` 18.
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
            audiences: config.audiences,
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
        identity.federatedID = federatedIDPrefix + subject
        identity.takeStandardClaims(claims)
        identity.isEmailVerified = identity.email != nil && claims["email_verified"]?.bool == true
        identity.takeTokens(of: credential)
        return identity
    }

    // Google's user-info names, which SDKs show as `profile` (`Docs/Contract/client-accounts.md` §5.4). The scopes are derived
    // from the claims, because an ID token does not name them.
    private static func rawUserInfo(_ claims: JSONValue) -> JSONValue {
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

    // The profile that the emulator makes up (`Docs/Contract/client-accounts.md` §5.4).
    static func completeStandIn(_ identity: inout VerifiedIdentity, claims: JSONValue, credential: IdPCredential) {
        identity.federatedID = federatedIDPrefix + identity.rawID
        var profile = rawUserInfo(claims)
        if profile["locale"] == nil { profile["locale"] = "en" }
        profile["verified_email"] = .bool(DevelopmentCredential.isTruthy(claims["email_verified"]))
        identity.rawUserInfo = profile
    }

    // A code if it can be exchanged, because the exchange also gives an access and a refresh token; otherwise an ID token.
    func profile(for client: ClientRegistration, _ selection: AuthorizationSelection) async throws -> AuthorizationProfile {
        let usesCode = selection.wantsCode || client.clientSecret != nil
        var profile = try await openID.profile(for: client, issuer: discoveryIssuer, usesCode: usesCode)
        // Google's native libraries request codes for a server to exchange. Codes of our own flows are bound by PKCE.
        profile.takesServerAuthCodes = usesCode
        return profile
    }
}
