import Project

/// Yahoo (`yahoo.com`): ID tokens, with the profile of the access token beside them.
///
/// Access tokens alone are refused: Yahoo tells nobody whose they are (threat case OAU-07).
struct YahooProvider: IdentityProvider {
    private let verifier: OIDCVerifier
    private let userInfo: UserInfo
    private let issuer: String

    // Yahoo's own mail service. Domains of other countries belong to other companies.
    private static let ownDomains: Set<String> = ["yahoo.com", "ymail.com", "rocketmail.com"]

    /// - Parameters:
    ///   - verifier: The tool that verifies ID tokens.
    ///   - userInfo: Asks for the profile.
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
