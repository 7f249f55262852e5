import Project

/// Discord (`discord.com`): access tokens of our app.
///
/// Discord says which app a token was given to. Addresses that it has not checked are left out; no address of
/// Discord takes over an account.
struct DiscordProvider: AuthorizationProvider {
    static let facts = ProviderFacts(id: "discord.com", label: "Discord", endpoints: [home])

    private static let home = ProviderEndpoint("discord", at: "https://discord.com", "Discord's authorization, token and API")

    private let api: ProviderAPI
    private let home: String

    init(_ tools: ProviderTools) {
        api = tools.api
        home = tools.endpoints[Self.home]
    }

    // Discord API, "Get Current Authorization Information" and "Get Current User".
    func verify(_ credential: IdPCredential, config: IdPConfig) async throws -> VerifiedIdentity {
        let token = try credential.requireAccessToken()
        let grant = try await api.get(home + "/api/v10/oauth2/@me", authorization: .bearer(token))
        guard config.audiences.containsBytes(of: grant["application"]?["id"]?.string) else { throw ProviderError.foreignToken }
        let profile = try await api.get(home + "/api/v10/users/@me", authorization: .bearer(token))
        guard let id = profile["id"]?.string.flatMap(ProfileText.subject) else { throw ProviderError.malformedAnswer }
        guard bytesEqual(grant["user"]?["id"]?.string, id) else { throw ProviderError.otherUser }
        var identity = VerifiedIdentity(providerID: credential.providerID, rawID: id, rawUserInfo: profile)
        // An address that Discord has not checked is nobody's: it must not hold an address of ours.
        if profile["verified"] == true { identity.email = profile["email"]?.string.flatMap(EmailAddress.canonical) }
        identity.screenName = profile["username"]?.string.flatMap(ProfileText.name)
        identity.displayName = profile["global_name"]?.string.flatMap(ProfileText.name) ?? identity.screenName
        identity.language = profile["locale"]?.string.flatMap(ProfileText.name)
        identity.photoURL = profile["avatar"]?.string.flatMap {
            ProfileText.photoURL("https://cdn.discordapp.com/avatars/\(id)/\($0).png")
        }
        identity.takeTokens(of: credential)
        return identity
    }

    func profile(for client: ClientRegistration, _ selection: AuthorizationSelection) async throws -> AuthorizationProfile {
        var profile = AuthorizationProfile(
            grant: .code,
            clientID: client.clientID,
            authorizationEndpoint: home + "/oauth2/authorize",
            tokenEndpoint: home + "/api/oauth2/token"
        )
        profile.authentication = .post(secret: try client.requireSecret())
        profile.scopes = ["identify", "email"]
        return profile
    }
}
