import Project

/// `endpoints.*`: the addresses of the identity providers. They are overridden in tests and behind proxies.
package struct EndpointSettings: Sendable {
    /// A provider's address, and whether the operator has set it. An overridden address is the only accepted issuer (ruling 6).
    package struct Endpoint: Sendable {
        /// The address, as written.
        package let url: WebURL
        /// Whether the settings override it.
        package let isOverridden: Bool
    }

    /// Issuer. The endpoints for keys, tokens, revocation and authorization are below it.
    package let apple: Endpoint
    /// Issuer. Its discovery document has the other addresses.
    package let google: Endpoint
    /// Checks Google access tokens. It follows ``google`` when only that is overridden (ruling 18).
    package let googleTokenInfo: Endpoint
    /// The endpoints for OAuth 1.0a, OAuth 2.0 and the profile are below it.
    package let twitter: Endpoint
    /// Graph API.
    package let facebook: Endpoint
    /// The dialog that users see.
    package let facebookDialog: Endpoint
    /// Authorization and token.
    package let github: Endpoint
    /// Profile and token checks.
    package let githubAPI: Endpoint
    /// The issuers of all tenants are below it.
    package let microsoft: Endpoint
    /// Profile.
    package let microsoftGraph: Endpoint
    /// Issuer.
    package let yahoo: Endpoint
    /// Issuer.
    package let linkedin: Endpoint
    /// Player profile.
    package let playGames: Endpoint
    /// The host that Game Center's public keys are fetched from.
    package let gameCenter: Endpoint

    init(_ reader: SettingsReader, outbound: OutboundSettings) {
        func endpoint(
            _ name: String,
            _ fallback: WebURL,
            form: ValueForm<WebURL> = .baseURL,
            otherwise: String? = nil,
            _ meaning: String
        ) -> Endpoint {
            let url = reader.value(name, form, default: fallback, otherwise: otherwise, meaning)
            outbound.check(url, name, reader)
            return Endpoint(url: url, isOverridden: reader.isSet(name))
        }

        apple = endpoint(
            "apple",
            WebURL(https: "appleid.apple.com"),
            "Apple's issuer; keys, token, revocation and authorization are under it"
        )
        google = endpoint(
            "google",
            WebURL(https: "accounts.google.com"),
            "Google's issuer; its discovery document gives the rest"
        )
        googleTokenInfo = endpoint(
            "googleTokenInfo",
            Self.tokenInfo(google),
            form: .webURL,
            otherwise: "`https://oauth2.googleapis.com/tokeninfo`; `<endpoints.google>/tokeninfo` when that is set",
            "checks Google access tokens"
        )
        twitter = endpoint(
            "twitter",
            WebURL(https: "api.twitter.com"),
            "OAuth 1.0a, OAuth 2.0 and `account/verify_credentials.json`"
        )
        facebook = endpoint("facebook", WebURL(https: "graph.facebook.com"), "Facebook's Graph API")
        facebookDialog = endpoint("facebookDialog", WebURL(https: "www.facebook.com"), "Facebook's sign-in dialog")
        github = endpoint("github", WebURL(https: "github.com"), "GitHub's authorization and token")
        githubAPI = endpoint("githubAPI", WebURL(https: "api.github.com"), "GitHub's profile and token checks")
        microsoft = endpoint(
            "microsoft",
            WebURL(https: "login.microsoftonline.com"),
            "Microsoft; each tenant's issuer is under it"
        )
        microsoftGraph = endpoint("microsoftGraph", WebURL(https: "graph.microsoft.com"), "Microsoft's profile")
        yahoo = endpoint(
            "yahoo",
            WebURL(https: "api.login.yahoo.com"),
            "Yahoo's issuer; its discovery document gives the rest"
        )
        linkedin = endpoint(
            "linkedin",
            WebURL(https: "www.linkedin.com/oauth"),
            "LinkedIn's issuer; its discovery document gives the rest"
        )
        playGames = endpoint("playGames", WebURL(https: "games.googleapis.com"), "Play Games' player profile")
        gameCenter = endpoint(
            "gameCenter",
            WebURL(https: "static.gc.apple.com"),
            "the host Game Center's public keys are fetched from"
        )
    }

    private static func tokenInfo(_ google: Endpoint) -> WebURL {
        google.isOverridden ? google.url.appending("tokeninfo") : WebURL(https: "oauth2.googleapis.com/tokeninfo")
    }
}
