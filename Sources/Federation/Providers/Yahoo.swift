import Project

/// Yahoo (`yahoo.com`): ID tokens, and the profile of an access token beside them.
///
/// An access token without an ID token is refused, because Yahoo does not tell which app it is for (threat case OAU-07).
struct YahooProvider: AuthorizationProvider {
    static let facts = ProviderFacts(id: "yahoo.com", label: "Yahoo", endpoints: [issuer])

    private static let issuer = ProviderEndpoint(
        "yahoo",
        at: "https://api.login.yahoo.com",
        "Yahoo's issuer; its discovery document gives the rest"
    )
    // Yahoo's own mail service. Domains of other countries belong to other companies.
    private static let ownDomains: Set<String> = ["yahoo.com", "ymail.com", "rocketmail.com"]

    private let verifier: OIDCVerifier
    private let userInfo: UserInfo
    private let openID: OpenIDAuthorization
    private let issuer: String

    init(_ tools: ProviderTools) {
        verifier = tools.verifier
        userInfo = tools.userInfo
        openID = tools.openID
        issuer = tools.endpoints[Self.issuer]
    }

    func keys(for registration: ClientRegistration) -> KeySource? { .discovery(issuer: issuer) }

    func verifiesIDTokensFirst(_ config: IdPConfig) -> Bool { true }

    func verify(_ credential: IdPCredential, config: IdPConfig) async throws -> VerifiedIdentity {
        let idToken = try credential.requireIDToken()
        let token = try await verifier.verify(
            idToken,
            of: credential,
            policy: .init(
                issuers: [issuer],
                audiences: config.audiences,
                keys: .discovery(issuer: issuer),
                nonce: .hashOrExact
            )
        )
        let claims = try await userInfo.completing(token, of: credential, issuer: issuer, audiences: config.audiences)
        var identity = VerifiedIdentity(providerID: credential.providerID, rawID: token.subject, rawUserInfo: claims)
        identity.takeStandardClaims(claims)
        let isDenied = claims["email_verified"].map { $0 != .bool(true) && $0 != .string("true") } ?? false
        identity.isEmailVerified = !isDenied && identity.hasEmail(in: Self.ownDomains)
        identity.takeTokens(of: credential)
        identity.singleUses = token.singleUse.map { [$0] } ?? []
        return identity
    }

    func profile(for client: ClientRegistration, _ selection: AuthorizationSelection) async throws -> AuthorizationProfile {
        try await openID.profile(for: client, issuer: issuer, usesCode: true)
    }
}
