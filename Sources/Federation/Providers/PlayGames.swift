import Project

/// Google Play Games (`playgames.google.com`): server auth codes of our client.
///
/// Only a code is proof, because exchanging it requires our client secret. All other credentials are refused.
struct PlayGamesProvider: IdentityProvider {
    static let facts = ProviderFacts(
        id: "playgames.google.com",
        label: "Google Play Games",
        endpoints: [games],
        needsSecret: true
    )

    private static let games = ProviderEndpoint("playGames", at: "https://games.googleapis.com", "Play Games' player profile")

    private let api: ProviderAPI
    private let discovery: DiscoveryCache
    // Google's token endpoint exchanges the code.
    private let google: String
    private let games: String

    init(_ tools: ProviderTools) {
        api = tools.api
        discovery = tools.discovery
        google = tools.endpoints[GoogleProvider.issuer]
        games = tools.endpoints[Self.games]
    }

    func verify(_ credential: IdPCredential, config: IdPConfig) async throws -> VerifiedIdentity {
        guard let code = credential.authorizationCode else {
            throw APIError(.invalidCredentialOrProviderID, "The credential of \(credential.providerID) must have a code.")
        }
        let client = try config.requireClient()
        guard let exchange = try await discovery.metadata(of: google).tokenEndpoint else { throw ProviderError.malformedAnswer }
        let grant = try await api.post(
            exchange,
            // Codes that an app on the device requested have no redirect URI.
            form: [
                ("grant_type", "authorization_code"), ("code", code), ("client_id", client.id), ("client_secret", client.secret),
                ("redirect_uri", ""),
            ]
        )
        var exchanged = IdPCredential(providerID: credential.providerID, accessToken: grant["access_token"]?.string)
        guard exchanged.accessToken != nil else { throw ProviderError.malformedAnswer }
        let token = try exchanged.requireAccessToken()
        let player = try await api.get(games + "/games/v1/players/me", authorization: .bearer(token))
        guard let playerID = player["playerId"]?.string.flatMap(ProfileText.subject) else { throw ProviderError.malformedAnswer }
        var identity = VerifiedIdentity(providerID: credential.providerID, rawID: playerID, rawUserInfo: player)
        identity.displayName = player["displayName"]?.string.flatMap(ProfileText.name)
        identity.photoURL = player["avatarImageUrl"]?.string.flatMap(ProfileText.photoURL)
        exchanged.authorizationCode = code
        identity.takeTokens(of: exchanged)
        identity.accessTokenSeconds = grant["expires_in"]?.integer
        return identity
    }
}
