/// Twitter (X) with OAuth 1.0a (`contract/web-handler.md` §7.3), or with OAuth 2.0 if `oauth2Config` enables it.
struct TwitterAuthorization: AuthorizationProvider {
    let endpoints: TwitterEndpoints

    func serves(_ providerID: String) -> Bool { providerID == "twitter.com" }

    func profile(for client: ClientRegistration, _ selection: AuthorizationSelection) async throws -> AuthorizationProfile {
        let secret = try client.requireSecret()
        guard !client.usesOAuth2 else { return oauth2(client, secret) }
        var profile = AuthorizationProfile(
            grant: .oauth1,
            clientID: client.clientID,
            authorizationEndpoint: endpoints.oauth1 + "/oauth/authenticate",
            tokenEndpoint: endpoints.oauth1 + "/oauth/access_token"
        )
        profile.requestTokenEndpoint = endpoints.oauth1 + "/oauth/request_token"
        profile.authentication = .post(secret: secret)
        profile.usesPKCE = false
        return profile
    }

    // X API, "OAuth 2.0 Authorization Code Flow with PKCE", as a confidential client.
    private func oauth2(_ client: ClientRegistration, _ secret: String) -> AuthorizationProfile {
        var profile = AuthorizationProfile(
            grant: .code,
            clientID: client.clientID,
            authorizationEndpoint: endpoints.authorize,
            tokenEndpoint: endpoints.api + "/2/oauth2/token"
        )
        profile.authentication = .basic(secret: secret)
        // The scopes that the profile needs. The e-mail address also needs `users.email`, which not every app may request.
        profile.scopes = ["users.read", "tweet.read"]
        return profile
    }
}

/// The addresses of Twitter: its old name for OAuth 1.0a, its new one for OAuth 2.0.
package struct TwitterEndpoints: Sendable {
    let oauth1: String
    /// The page of OAuth 2.0 that users see.
    let authorize: String
    /// API version 2.
    let api: String

    /// - Parameter overridden: `endpoints.twitter` when set. All addresses are then below it.
    package init(overridden: String?) {
        oauth1 = overridden ?? "https://api.twitter.com"
        authorize = (overridden ?? "https://x.com") + "/i/oauth2/authorize"
        api = overridden ?? "https://api.x.com"
    }
}
