import Project

/// Google: ID tokens of our client ids (`google.com`).
struct GoogleProvider: IdentityProvider {
    private let verifier: OIDCVerifier
    private let issuers: [String]
    private let discoveryIssuer: String

    /// - Parameters:
    ///   - verifier: The tool that verifies ID tokens.
    ///   - endpoint: `endpoints.google` when overridden: then exactly that is the issuer.
    init(verifier: OIDCVerifier, endpoint: String?) {
        self.verifier = verifier
        discoveryIssuer = endpoint ?? "https://accounts.google.com"
        // Google writes its issuer with and without the scheme.
        issuers = endpoint.map { [$0] } ?? ["https://accounts.google.com", "accounts.google.com"]
    }

    func serves(_ providerID: String) -> Bool { providerID == "google.com" }

    func verify(_ credential: IdPCredential, config: IdPConfig) async throws -> VerifiedIdentity {
        let idToken = try credential.requireIDToken()
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
        var identity = VerifiedIdentity(
            providerID: credential.providerID,
            rawID: token.subject,
            rawUserInfo: Self.rawUserInfo(token.claims)
        )
        identity.federatedID = "https://accounts.google.com/\(token.subject)"
        identity.takeStandardClaims(token.claims)
        identity.isEmailVerified = identity.email != nil && token.claims["email_verified"]?.bool == true
        identity.takeTokens(of: credential)
        identity.singleUses = token.singleUse.map { [$0] } ?? []
        return identity
    }

    // Google's user-info names, which SDKs show as `profile` (`contract/client-accounts.md` §5.4).
    private static func rawUserInfo(_ claims: JSONValue) -> JSONValue {
        let names = [
            "sub": "id", "name": "name", "given_name": "given_name", "family_name": "family_name", "email": "email",
            "email_verified": "verified_email", "locale": "locale", "picture": "picture", "hd": "hd",
        ]
        var profile: [String: JSONValue] = [:]
        for (claim, name) in names { profile[name] = claims[claim] }
        return .object(profile)
    }
}
