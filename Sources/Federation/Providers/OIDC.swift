import Project

/// Any OpenID provider configured by issuer and client id (`oidc.*`).
struct OIDCProvider: AuthorizationProvider {
    static let facts = ProviderFacts(id: "oidc.", label: "OpenID Connect", isFamily: true)

    // Claims of the protocol and of the profile (Core §2 and §5.1). All other claims are the provider's own attributes.
    private static let standardClaims: Set<String> = [
        "iss", "sub", "aud", "exp", "iat", "nbf", "auth_time", "nonce", "acr", "amr", "azp", "jti", "at_hash", "c_hash", "sid",
        "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username", "profile", "picture", "website",
        "email", "email_verified", "gender", "birthdate", "zoneinfo", "locale", "phone_number", "phone_number_verified",
        "address", "updated_at",
    ]

    private let verifier: OIDCVerifier
    private let userInfo: UserInfo
    private let openID: OpenIDAuthorization

    init(_ tools: ProviderTools) {
        verifier = tools.verifier
        userInfo = tools.userInfo
        openID = tools.openID
    }

    func verifiesIDTokensFirst(_ config: IdPConfig) -> Bool { true }

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
                nonce: .hashOrExact,
                clientSecret: config.clientSecret
            )
        )
        let claims = try await profile(token, credential, issuer: issuer, config)
        var identity = VerifiedIdentity(providerID: credential.providerID, rawID: token.subject, rawUserInfo: claims)
        identity.takeStandardClaims(claims)
        let isVerified = claims["email_verified"].map { $0 == .bool(true) || $0 == .string("true") } ?? false
        identity.isEmailVerified = identity.email != nil && isVerified
        identity.signInAttributes = Self.attributes(claims)
        identity.takeTokens(of: credential)
        identity.singleUses = token.singleUse.map { [$0] } ?? []
        return identity
    }

    private static func attributes(_ claims: JSONValue) -> JSONValue? {
        let own = (claims.object ?? [:]).filter { !standardClaims.contains($0.key.text) }
        let kept = SignInAttributes.fitting(own.map { ($0.key, $0.value) })
        return kept.object?.isEmpty == false ? kept : nil
    }

    // When a code was exchanged, claims requested by scopes may be in the user info only (Core §5.4). For an access token from an
    // app the user info is not read, because the token need not be ours.
    private func profile(
        _ token: OIDCVerifier.Verified,
        _ credential: IdPCredential,
        issuer: String,
        _ config: IdPConfig
    ) async throws -> JSONValue {
        let hasAddress = token.claims["email"] != nil
        guard credential.isExchanged, let accessToken = credential.accessToken, !hasAddress || token.claims["name"] == nil,
            try await userInfo.isOffered(by: issuer)
        else { return token.claims }
        do {
            let info = try await userInfo.claims(
                issuer: issuer,
                audiences: config.audiences,
                accessToken: accessToken,
                subject: token.subject
            ).claims
            // What the user info says of one address says nothing of another, which the ID token may name.
            let isOther = hasAddress && info["email"] != token.claims["email"]
            guard isOther else { return info.merging(token.claims) }
            return JSONValue.object((info.object ?? [:]).filter { $0.key != "email_verified" }).merging(token.claims)
        } catch let error as ProviderError where error.isRefusal || (hasAddress && error.step == .profile) {
            // The user-info endpoint refused the token. The ID token's claims are used alone.
            return token.claims
        }
    }

    // `responseType` selects the kind of answer.
    func profile(for client: ClientRegistration, _ selection: AuthorizationSelection) async throws -> AuthorizationProfile {
        guard let issuer = client.issuer else {
            throw APIError(.operationNotAllowed, "The identity provider configuration has no issuer.")
        }
        var profile = try await openID.profile(for: client, issuer: issuer, usesCode: client.usesCode)
        // Without `openid` there would be no ID token.
        if !client.scopes.isEmpty { profile.scopes = ["openid"] + client.scopes.filter { $0 != "openid" } }
        return profile
    }
}
