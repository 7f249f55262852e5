import Project

/// Twitter, now X (`twitter.com`): OAuth 1.0a access tokens of our app, with their secrets.
///
/// Requests are signed with our consumer secret, so Twitter refuses tokens of other apps. OAuth 2.0 access tokens, which
/// `oauth2Config` enables, carry no such proof, and no endpoint tells which app a token is for. Tokens that our own flow
/// exchanged are known to be ours. Tokens from apps are refused (threat case OAU-07) unless the configuration allows them. An ID
/// token is accepted if the configuration names its issuer.
struct TwitterProvider: AuthorizationProvider {
    static let facts = ProviderFacts(
        id: "twitter.com",
        label: "Twitter",
        endpoints: [home],
        needsSecret: true,
        reservedParameters: [AuthorizationRequest.requestTokenParameter]
    )

    private static let home = ProviderEndpoint(
        "twitter",
        at: "https://api.twitter.com",
        "OAuth 1.0a, OAuth 2.0 and `account/verify_credentials.json`"
    )

    private let verifier: OIDCVerifier
    private let api: ProviderAPI
    private let environment: ServerEnvironment
    // The old name, for OAuth 1.0a.
    private let oauth1: String
    // The page of OAuth 2.0 that users see, and version 2 of the API. With an override, all addresses are below it.
    private let page: String
    private let base: String

    init(_ tools: ProviderTools) {
        verifier = tools.verifier
        api = tools.api
        environment = tools.environment
        let overridden = tools.endpoints.override(of: Self.home)
        oauth1 = tools.endpoints[Self.home]
        page = (overridden ?? "https://x.com") + "/i/oauth2/authorize"
        base = overridden ?? "https://api.x.com"
    }

    func verifiesIDTokensFirst(_ config: IdPConfig) -> Bool { config.issuer != nil }

    func verify(_ credential: IdPCredential, config: IdPConfig) async throws -> VerifiedIdentity {
        if let idToken = credential.idToken, let issuer = config.issuer {
            return try await verify(idToken, issuer: issuer, credential, config)
        }
        let token = try credential.requireAccessToken()
        if config.usesOAuth2 { return try await verifyBearer(token, credential, config) }
        guard let tokenSecret = credential.tokenSecret else {
            throw APIError(
                .invalidCredentialOrProviderID,
                "The credential of \(credential.providerID) must have an access_token and an oauth_token_secret."
            )
        }
        let profile = try await profile(token, tokenSecret, config)
        guard let id = profile["id_str"]?.string.flatMap(ProfileText.subject) else { throw ProviderError.malformedAnswer }
        var identity = VerifiedIdentity(providerID: credential.providerID, rawID: id, rawUserInfo: profile)
        identity.email = profile["email"]?.string.flatMap(EmailAddress.canonical)
        identity.displayName = profile["name"]?.string.flatMap(ProfileText.name)
        identity.screenName = profile["screen_name"]?.string.flatMap(ProfileText.name)
        identity.photoURL = profile["profile_image_url_https"]?.string.flatMap(ProfileText.photoURL)
        identity.takeTokens(of: credential)
        return identity
    }

    // X API, `GET /2/users/me`. The id is the same as with OAuth 1.0a.
    private func verifyBearer(
        _ token: String,
        _ credential: IdPCredential,
        _ config: IdPConfig
    ) async throws -> VerifiedIdentity {
        guard credential.isExchanged || config.allowsClientAccessTokens else {
            throw ProviderError(.claims, "Nobody can tell for which client the access token is.")
        }
        let query = [(name: "user.fields", value: "confirmed_email,profile_image_url,verified")]
        let answer = try await api.get(base + "/2/users/me", query: query, authorization: .bearer(token))
        guard let profile = answer["data"], let id = profile["id"]?.string.flatMap(ProfileText.subject) else {
            throw ProviderError.malformedAnswer
        }
        var identity = VerifiedIdentity(providerID: credential.providerID, rawID: id, rawUserInfo: profile)
        identity.email = profile["confirmed_email"]?.string.flatMap(EmailAddress.canonical)
        identity.displayName = profile["name"]?.string.flatMap(ProfileText.name)
        identity.screenName = profile["username"]?.string.flatMap(ProfileText.name)
        identity.photoURL = profile["profile_image_url"]?.string.flatMap(ProfileText.photoURL)
        identity.takeTokens(of: credential)
        return identity
    }

    private func profile(_ token: String, _ tokenSecret: String, _ config: IdPConfig) async throws -> JSONValue {
        let app = try config.requireClient()
        let signature = OAuth1Signature(
            consumerKey: app.id,
            consumerSecret: app.secret,
            token: token,
            tokenSecret: tokenSecret,
            nonce: environment.randomText(length: 32),
            timestamp: environment.now().seconds
        )
        let url = oauth1 + "/1.1/account/verify_credentials.json"
        let query = [
            (name: "include_email", value: "true"), (name: "include_entities", value: "false"),
            (name: "skip_status", value: "true"),
        ]
        let header = signature.authorizationHeader(method: "GET", url: url, parameters: query)
        return try await api.get(url, query: query, authorization: .header(header))
    }

    private func verify(
        _ idToken: String,
        issuer: String,
        _ credential: IdPCredential,
        _ config: IdPConfig
    ) async throws -> VerifiedIdentity {
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
        identity.screenName = token.claims["preferred_username"]?.string.flatMap(ProfileText.name)
        identity.takeTokens(of: credential)
        identity.singleUses = token.singleUse.map { [$0] } ?? []
        return identity
    }

    // OAuth 1.0a (`Docs/Contract/web-handler.md` §7.3), or OAuth 2.0 if `oauth2Config` enables it.
    func profile(for client: ClientRegistration, _ selection: AuthorizationSelection) async throws -> AuthorizationProfile {
        let secret = try client.requireSecret()
        guard !client.usesOAuth2 else { return oauth2(client, secret) }
        var profile = AuthorizationProfile(
            grant: .oauth1,
            clientID: client.clientID,
            authorizationEndpoint: oauth1 + "/oauth/authenticate",
            tokenEndpoint: oauth1 + "/oauth/access_token"
        )
        profile.requestTokenEndpoint = oauth1 + "/oauth/request_token"
        profile.authentication = .post(secret: secret)
        profile.usesPKCE = false
        return profile
    }

    // X API, "OAuth 2.0 Authorization Code Flow with PKCE", as a confidential client.
    private func oauth2(_ client: ClientRegistration, _ secret: String) -> AuthorizationProfile {
        var profile = AuthorizationProfile(
            grant: .code,
            clientID: client.clientID,
            authorizationEndpoint: page,
            tokenEndpoint: base + "/2/oauth2/token"
        )
        profile.authentication = .basic(secret: secret)
        // The scopes that the profile needs. The e-mail address also needs `users.email`, which not every app may request.
        profile.scopes = ["users.read", "tweet.read"]
        return profile
    }
}
