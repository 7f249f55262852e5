/// GitHub (`contract/web-handler.md` §7.4).
struct GitHubAuthorization: AuthorizationProvider {
    let endpoint: String

    func serves(_ providerID: String) -> Bool { providerID == "github.com" }

    func profile(for client: ClientRegistration, _ selection: AuthorizationSelection) async throws -> AuthorizationProfile {
        var profile = AuthorizationProfile(
            grant: .code,
            clientID: client.clientID,
            authorizationEndpoint: endpoint + "/login/oauth/authorize",
            tokenEndpoint: endpoint + "/login/oauth/access_token"
        )
        profile.authentication = .post(secret: try client.requireSecret())
        // For the e-mail address, which the public profile seldom has.
        profile.scopes = ["user:email"]
        profile.issuers = [endpoint + "/login/oauth"]
        return profile
    }
}
