package import Project

/// Every identity provider that users can be sent to.
package struct AuthorizationProviders: Sendable {
    /// The list: one line per provider.
    package let all: [any AuthorizationProvider]

    /// The base URLs of the providers (`endpoints.*`).
    package struct Endpoints: Sendable {
        /// `nil` for the real one, which is accepted under several issuer names.
        package var apple: String?
        package var google: String
        package var twitter: TwitterEndpoints
        package var facebook: String
        package var facebookDialog: String
        package var github: String
        package var microsoft: String
        package var yahoo: String
        package var linkedIn: String

        package init(
            apple: String?,
            google: String,
            twitter: TwitterEndpoints,
            facebook: String,
            facebookDialog: String,
            github: String,
            microsoft: String,
            yahoo: String,
            linkedIn: String
        ) {
            self.apple = apple
            self.google = google
            self.twitter = twitter
            self.facebook = facebook
            self.facebookDialog = facebookDialog
            self.github = github
            self.microsoft = microsoft
            self.yahoo = yahoo
            self.linkedIn = linkedIn
        }
    }

    /// Revokes Apple's tokens for `accounts:revokeToken`.
    package let apple: AppleTokens

    /// - Parameters:
    ///   - environment: Clock, randomness and outgoing HTTP.
    ///   - discovery: The discovery documents of OpenID providers.
    ///   - endpoints: Base URLs.
    package init(environment: ServerEnvironment, discovery: DiscoveryCache, endpoints: Endpoints) {
        let discovery = OpenIDAuthorization(metadata: discovery)
        let appleAuthorization = AppleAuthorization(environment: environment, overridden: endpoints.apple)
        apple = AppleTokens(authorization: appleAuthorization, http: environment.http)
        all = [
            appleAuthorization,
            GoogleAuthorization(discovery: discovery, issuer: endpoints.google),
            OIDCAuthorization(discovery: discovery),
            TwitterAuthorization(endpoints: endpoints.twitter),
            FacebookAuthorization(graph: endpoints.facebook, dialog: endpoints.facebookDialog),
            GitHubAuthorization(endpoint: endpoints.github),
            MicrosoftAuthorization(endpoint: endpoints.microsoft),
            YahooAuthorization(discovery: discovery, issuer: endpoints.yahoo),
            LinkedInAuthorization(discovery: discovery, issuer: endpoints.linkedIn),
        ]
    }

    /// The provider that serves an id; `nil` when none does.
    package func provider(_ providerID: String) -> (any AuthorizationProvider)? { all.first { $0.serves(providerID) } }
}
