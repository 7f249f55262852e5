import Project

/// Any OpenID provider configured by issuer and client id (`oidc.*`).
struct OIDCProvider: IdentityProvider {
    private let verifier: OIDCVerifier

    // Claims of the protocol and of the profile (Core §2 and §5.1); the others are the provider's own attributes.
    private static let standardClaims: Set<String> = [
        "iss", "sub", "aud", "exp", "iat", "nbf", "auth_time", "nonce", "acr", "amr", "azp", "jti", "at_hash", "c_hash", "sid",
        "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username", "profile", "picture", "website",
        "email", "email_verified", "gender", "birthdate", "zoneinfo", "locale", "phone_number", "phone_number_verified",
        "address", "updated_at",
    ]

    init(verifier: OIDCVerifier) { self.verifier = verifier }

    func serves(_ providerID: String) -> Bool { providerID.hasPrefix("oidc.") && providerID.utf8.count > 5 }

    func verify(_ credential: IdPCredential, config: IdPConfig) async throws -> VerifiedIdentity {
        let idToken = try credential.requireIDToken()
        guard let issuer = config.issuer else { throw ProviderError(.claims, "The identity provider has no issuer.") }
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
        var identity = VerifiedIdentity(providerID: credential.providerID, rawID: token.subject, rawUserInfo: token.claims)
        identity.takeStandardClaims(token.claims)
        let isVerified = token.claims["email_verified"].map { $0 == .bool(true) || $0 == .string("true") } ?? false
        identity.isEmailVerified = identity.email != nil && isVerified
        let attributes = token.claims.object?.filter { !Self.standardClaims.contains($0.key) } ?? [:]
        identity.signInAttributes = attributes.isEmpty ? nil : .object(attributes)
        identity.takeTokens(of: credential)
        identity.singleUses = token.singleUse.map { [$0] } ?? []
        return identity
    }
}
