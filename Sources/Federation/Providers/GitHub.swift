import Project

/// GitHub (`github.com`): access tokens of our OAuth app.
///
/// GitHub's flag for verified addresses is ignored, as in Firebase: a GitHub address never takes over an account.
struct GitHubProvider: AuthorizationProvider {
    static let facts = ProviderFacts(id: "github.com", label: "GitHub", endpoints: [home, api], needsSecret: true)

    private static let home = ProviderEndpoint("github", at: "https://github.com", "GitHub's authorization and token")
    private static let api = ProviderEndpoint("githubAPI", at: "https://api.github.com", "GitHub's profile and token checks")

    private let api: ProviderAPI
    private let home: String
    private let base: String

    init(_ tools: ProviderTools) {
        api = tools.api
        home = tools.endpoints[Self.home]
        base = tools.endpoints[Self.api]
    }

    func verify(_ credential: IdPCredential, config: IdPConfig) async throws -> VerifiedIdentity {
        let token = try credential.requireAccessToken()
        let app = try config.requireClient()
        // This endpoint knows only tokens of our own app, and answers 404 for all others (`Docs/Contract/rulings.md` 18).
        let check = try await api.post(
            "\(base)/applications/\(PercentEncoding.encode(app.id))/token",
            json: ["access_token": .string(token)],
            authorization: .basic(app.id, app.secret)
        )
        if let named = check["app"]?["client_id"], !bytesEqual(named.string, app.id) { throw ProviderError.foreignToken }
        let profile = try await api.get(base + "/user", authorization: .bearer(token))
        guard let number = profile["id"]?.integer, number > 0 else { throw ProviderError.malformedAnswer }
        if let owner = check["user"]?["id"], owner != .null, owner.integer != number { throw ProviderError.otherUser }
        var identity = VerifiedIdentity(
            providerID: credential.providerID,
            rawID: String(number),
            rawUserInfo: profile
        )
        let address = try await primaryEmail(token) ?? profile["email"]?.string
        identity.email = address.flatMap(EmailAddress.canonical)
        identity.screenName = profile["login"]?.string.flatMap(ProfileText.name)
        identity.displayName = profile["name"]?.string.flatMap(ProfileText.name)
        identity.photoURL = profile["avatar_url"]?.string.flatMap(ProfileText.photoURL)
        identity.takeTokens(of: credential)
        return identity
    }

    // The public profile seldom has the address. A token without the scope `user:email` is refused here, but is valid for signing
    // in.
    private func primaryEmail(_ token: String) async throws -> String? {
        do {
            let addresses = try await api.get(base + "/user/emails", authorization: .bearer(token))
            return addresses.array?.first { $0["primary"] == .bool(true) && $0["verified"] == .bool(true) }?["email"]?.string
        } catch let error as ProviderError where error.isRefusal {
            return nil
        }
    }

    // `Docs/Contract/web-handler.md` §7.4.
    func profile(for client: ClientRegistration, _ selection: AuthorizationSelection) async throws -> AuthorizationProfile {
        var profile = AuthorizationProfile(
            grant: .code,
            clientID: client.clientID,
            authorizationEndpoint: home + "/login/oauth/authorize",
            tokenEndpoint: home + "/login/oauth/access_token"
        )
        profile.authentication = .post(secret: try client.requireSecret())
        // For the e-mail address, which the public profile seldom has.
        profile.scopes = ["user:email"]
        profile.issuers = [home + "/login/oauth"]
        return profile
    }
}
