/// Facebook's dialog (`contract/web-handler.md` §7.4).
struct FacebookAuthorization: AuthorizationProvider {
    let graph: String
    let dialog: String

    private static let version = "v23.0"

    func serves(_ providerID: String) -> Bool { providerID == "facebook.com" }

    func profile(for client: ClientRegistration, _ selection: AuthorizationSelection) async throws -> AuthorizationProfile {
        var profile = AuthorizationProfile(
            grant: .code,
            clientID: client.clientID,
            authorizationEndpoint: "\(dialog)/\(Self.version)/dialog/oauth",
            tokenEndpoint: "\(graph)/\(Self.version)/oauth/access_token"
        )
        profile.authentication = .post(secret: try client.requireSecret())
        profile.scopes = ["public_profile", "email"]
        profile.scopeSeparator = ","
        profile.issuers = [dialog]
        return profile
    }
}
