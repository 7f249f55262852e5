import Project

/// Yahoo (`yahoo.com`): ID tokens, and the profile of an access token beside them.
///
/// An access token without an ID token is refused, because Yahoo does not tell which app it is for (threat case OAU-07).
struct YahooProvider: IdentityProvider {
    private let verifier: OIDCVerifier
    private let userInfo: UserInfo
    private let issuer: String

    // Yahoo's own mail service. Domains of other countries belong to other companies.
    private static let ownDomains: Set<String> = ["yahoo.com", "ymail.com", "rocketmail.com"]

    /// - Parameters:
    ///   - verifier: The tool that verifies ID tokens.
    ///   - userInfo: Reads the profile.
    ///   - issuer: `endpoints.yahoo`.
    init(verifier: OIDCVerifier, userInfo: UserInfo, issuer: String) {
        self.verifier = verifier
        self.userInfo = userInfo
        self.issuer = issuer
    }

    func serves(_ providerID: String) -> Bool { providerID == "yahoo.com" }

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
        let claims = try await userInfo.completing(token, of: credential, issuer: issuer)
        var identity = VerifiedIdentity(providerID: credential.providerID, rawID: token.subject, rawUserInfo: claims)
        identity.takeStandardClaims(claims)
        let isDenied = claims["email_verified"].map { $0 != .bool(true) && $0 != .string("true") } ?? false
        identity.isEmailVerified = !isDenied && identity.hasEmail(in: Self.ownDomains)
        identity.takeTokens(of: credential)
        identity.singleUses = token.singleUse.map { [$0] } ?? []
        return identity
    }
}
