package import Project

/// Every identity provider that Postern knows.
package struct Providers: Sendable {
    /// The list: one line per provider.
    package let all: [any IdentityProvider]

    /// The base URLs of the providers (`endpoints.*`). If an override changes the accepted issuer, `nil` stands for the real
    /// provider.
    package struct Endpoints: Sendable {
        package var apple: String?
        package var google: String?
        package var facebookDialog: String?
        package var facebook: String
        package var githubAPI: String
        package var googleTokenInfo: String
        package var linkedin: String
        package var microsoft: String
        package var microsoftGraph: String
        package var playGames: String
        package var twitter: TwitterEndpoints
        package var yahoo: String

        package init(
            apple: String?,
            google: String?,
            facebookDialog: String?,
            facebook: String,
            githubAPI: String,
            googleTokenInfo: String,
            linkedin: String,
            microsoft: String,
            microsoftGraph: String,
            playGames: String,
            twitter: TwitterEndpoints,
            yahoo: String
        ) {
            self.apple = apple
            self.google = google
            self.facebookDialog = facebookDialog
            self.facebook = facebook
            self.githubAPI = githubAPI
            self.googleTokenInfo = googleTokenInfo
            self.linkedin = linkedin
            self.microsoft = microsoft
            self.microsoftGraph = microsoftGraph
            self.playGames = playGames
            self.twitter = twitter
            self.yahoo = yahoo
        }
    }

    /// Makes the providers.
    ///
    /// - Parameters:
    ///   - verifier: The tool that verifies ID tokens.
    ///   - gameCenter: Game Center, whose credentials also have an endpoint of their own.
    ///   - discovery: The discovery documents of OpenID providers.
    ///   - environment: Clock, randomness and outgoing HTTP.
    ///   - endpoints: Base URLs.
    package init(
        verifier: OIDCVerifier,
        gameCenter: GameCenterProvider,
        discovery: DiscoveryCache,
        environment: ServerEnvironment,
        endpoints: Endpoints
    ) {
        let api = ProviderAPI(environment.http)
        let userInfo = UserInfo(environment: environment, discovery: discovery)
        all = [
            AppleProvider(verifier: verifier, endpoint: endpoints.apple),
            GoogleProvider(
                verifier: verifier,
                api: api,
                userInfo: userInfo,
                endpoint: endpoints.google,
                tokenInfo: endpoints.googleTokenInfo
            ),
            FacebookProvider(
                verifier: verifier,
                api: api,
                environment: environment,
                graph: endpoints.facebook,
                web: endpoints.facebookDialog
            ),
            GitHubProvider(api: api, base: endpoints.githubAPI),
            MicrosoftProvider(verifier: verifier, api: api, base: endpoints.microsoft, graph: endpoints.microsoftGraph),
            YahooProvider(verifier: verifier, userInfo: userInfo, issuer: endpoints.yahoo),
            LinkedInProvider(verifier: verifier, api: api, userInfo: userInfo, issuer: endpoints.linkedin),
            TwitterProvider(verifier: verifier, environment: environment, endpoints: endpoints.twitter),
            PlayGamesProvider(
                environment: environment,
                discovery: discovery,
                google: endpoints.google ?? GoogleProvider.realIssuer,
                games: endpoints.playGames
            ),
            gameCenter,
            OIDCProvider(verifier: verifier, userInfo: userInfo),
        ]
    }

    /// The provider that serves an id; `nil` when none does.
    package func provider(_ providerID: String) -> (any IdentityProvider)? { all.first { $0.serves(providerID) } }
}
