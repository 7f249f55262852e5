/// Twitter (X) with OAuth 1.0a (`contract/web-handler.md` §7.3).
struct TwitterAuthorization: AuthorizationProvider {
    let endpoint: String

    func serves(_ providerID: String) -> Bool { providerID == "twitter.com" }

    func profile(for client: ClientRegistration, _ selection: AuthorizationSelection) async throws -> AuthorizationProfile {
        var profile = AuthorizationProfile(
            grant: .oauth1,
            clientID: client.clientID,
            authorizationEndpoint: endpoint + "/oauth/authenticate",
            tokenEndpoint: endpoint + "/oauth/access_token"
        )
        profile.requestTokenEndpoint = endpoint + "/oauth/request_token"
        profile.authentication = .post(secret: try client.requireSecret())
        profile.usesPKCE = false
        return profile
    }
}
