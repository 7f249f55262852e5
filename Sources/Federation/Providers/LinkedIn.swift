import Project

/// LinkedIn (`linkedin.com`): ID tokens, and access tokens that its introspection endpoint reports as ours.
///
/// Its addresses never count as verified (`Docs/Contract/client-accounts.md` §5.5).
struct LinkedInProvider: AuthorizationProvider {
    static let facts = ProviderFacts(id: "linkedin.com", label: "LinkedIn", endpoints: [issuer])

    private static let issuer = ProviderEndpoint(
        "linkedin",
        at: "https://www.linkedin.com/oauth",
        "LinkedIn's issuer; its discovery document gives the rest"
    )

    private let verifier: OIDCVerifier
    private let api: ProviderAPI
    private let userInfo: UserInfo
    private let openID: OpenIDAuthorization
    private let issuer: String

    init(_ tools: ProviderTools) {
        verifier = tools.verifier
        api = tools.api
        userInfo = tools.userInfo
        openID = tools.openID
        issuer = tools.endpoints[Self.issuer]
    }

    func keys(for registration: ClientRegistration) -> KeySource? { .discovery(issuer: issuer) }

    func verifiesIDTokensFirst(_ config: IdPConfig) -> Bool { true }

    func verify(_ credential: IdPCredential, config: IdPConfig) async throws -> VerifiedIdentity {
        var identity: VerifiedIdentity
        if let idToken = credential.idToken {
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
            identity = VerifiedIdentity(providerID: credential.providerID, rawID: token.subject, rawUserInfo: claims)
            identity.singleUses = token.singleUse.map { [$0] } ?? []
        } else {
            let token = try credential.requireAccessToken()
            try await introspect(token, config)
            let (claims, subject) = try await userInfo.claims(
                issuer: issuer,
                audiences: config.audiences,
                accessToken: token,
                subject: nil
            )
            identity = VerifiedIdentity(providerID: credential.providerID, rawID: subject, rawUserInfo: claims)
        }
        identity.takeStandardClaims(identity.rawUserInfo)
        identity.isEmailVerified = false
        identity.takeTokens(of: credential)
        return identity
    }

    // LinkedIn's variant of RFC 7662 §2.
    private func introspect(_ token: String, _ config: IdPConfig) async throws {
        let app = try config.requireClient()
        let check = try await api.post(
            issuer + "/v2/introspectToken",
            form: [("client_id", app.id), ("client_secret", app.secret), ("token", token)]
        )
        guard check["active"] == .bool(true) else {
            throw ProviderError(.claims, "The access token is not valid, or not valid any more.")
        }
        guard bytesEqual(check["client_id"]?.string, app.id) else { throw ProviderError.foreignToken }
    }

    // Its ID tokens carry no nonce, and its confidential clients do not use PKCE.
    func profile(for client: ClientRegistration, _ selection: AuthorizationSelection) async throws -> AuthorizationProfile {
        var profile = try await openID.profile(for: client, issuer: issuer, usesCode: true)
        profile.usesNonce = false
        profile.usesPKCE = false
        return profile
    }
}
