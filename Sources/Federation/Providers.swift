/// Every identity provider that Postern knows.
package struct Providers: Sendable {
    /// The list: one line per provider, in the order of `defaultSupportedIdps` (`Docs/Contract/admin-config.md` §11.4).
    /// Everything that is known of a provider elsewhere is derived from it.
    package static let all: [any IdentityProvider.Type] = [
        GoogleProvider.self,
        FacebookProvider.self,
        AppleProvider.self,
        TwitterProvider.self,
        GitHubProvider.self,
        MicrosoftProvider.self,
        YahooProvider.self,
        LinkedInProvider.self,
        PlayGamesProvider.self,
        GameCenterProvider.self,
        DiscordProvider.self,
        OIDCProvider.self,
        SAMLProvider.self,
    ]

    /// The providers that need no issuer to be configured (`Docs/Contract/admin-config.md` §11.4).
    package static let builtIn = all.map { $0.facts }.filter { !$0.isFamily }

    /// Every endpoint that the settings can override.
    package static let endpoints = all.flatMap { $0.facts.endpoints }

    /// The kind of provider that serves an id, or `nil`.
    package static func kind(of providerID: String) -> (any IdentityProvider.Type)? { all.first { $0.facts.serves(providerID) } }

    /// What is known of the provider that serves an id, or `nil`.
    package static func facts(of providerID: String) -> ProviderFacts? { kind(of: providerID)?.facts }

    private let tools: ProviderTools
    private let made: [any IdentityProvider]

    package init(_ tools: ProviderTools) {
        self.tools = tools
        made = Self.all.map { $0.init(tools) }
    }

    /// The provider that serves an id; `nil` when none does.
    package func provider(_ providerID: String) -> (any IdentityProvider)? {
        made.first { type(of: $0).facts.serves(providerID) }
    }

    /// The provider that serves an id and that users can be sent to, or `nil`.
    package func authorization(_ providerID: String) -> (any AuthorizationProvider)? {
        provider(providerID) as? any AuthorizationProvider
    }

    /// The provider of a type, for what no other provider has.
    package func the<Provider: IdentityProvider>(_ kind: Provider.Type) -> Provider {
        made.lazy.compactMap { $0 as? Provider }.first ?? Provider(tools)
    }
}
