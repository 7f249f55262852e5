import Project

/// Google Play Games (`playgames.google.com`): server auth codes of our client.
///
/// Only a code is proof, because exchanging it requires our client secret. All other credentials are refused.
struct PlayGamesProvider: IdentityProvider {
    private let api: ProviderAPI
    private let discovery: DiscoveryCache
    private let google: String
    private let games: String

    /// - Parameters:
    ///   - environment: Outgoing HTTP.
    ///   - discovery: Has Google's token endpoint.
    ///   - google: `endpoints.google`. Its token endpoint exchanges the code.
    ///   - games: `endpoints.playGames`.
    init(environment: ServerEnvironment, discovery: DiscoveryCache, google: String, games: String) {
        api = ProviderAPI(environment.http)
        self.discovery = discovery
        self.google = google
        self.games = games
    }

    func serves(_ providerID: String) -> Bool { providerID == "playgames.google.com" }

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
