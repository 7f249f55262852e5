import Project

/// LinkedIn (`linkedin.com`): ID tokens, and access tokens that its introspection endpoint reports as ours.
///
/// Its addresses never count as verified (`contract/client-accounts.md` §5.5).
struct LinkedInProvider: IdentityProvider {
    private let verifier: OIDCVerifier
    private let api: ProviderAPI
    private let userInfo: UserInfo
    private let issuer: String

    /// - Parameters:
    ///   - verifier: The tool that verifies ID tokens.
    ///   - api: Checks access tokens.
    ///   - userInfo: Reads the profile.
    ///   - issuer: `endpoints.linkedin`.
    init(verifier: OIDCVerifier, api: ProviderAPI, userInfo: UserInfo, issuer: String) {
        self.verifier = verifier
        self.api = api
        self.userInfo = userInfo
        self.issuer = issuer
    }

    func serves(_ providerID: String) -> Bool { providerID == "linkedin.com" }

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
            let claims = try await userInfo.completing(token, of: credential, issuer: issuer)
            identity = VerifiedIdentity(providerID: credential.providerID, rawID: token.subject, rawUserInfo: claims)
            identity.singleUses = token.singleUse.map { [$0] } ?? []
        } else {
            let token = try credential.requireAccessToken()
            try await introspect(token, config)
            let (claims, subject) = try await userInfo.claims(issuer: issuer, accessToken: token, subject: nil)
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
}
