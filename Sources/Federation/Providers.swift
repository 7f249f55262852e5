/// Every identity provider that Postern knows.
package struct Providers: Sendable {
    /// The list: one line per provider.
    package let all: [any IdentityProvider]

    /// Where the providers live; `nil` takes the real one (`endpoints.*`).
    package struct Endpoints: Sendable {
        package var apple: String?
        package var google: String?

        package init(apple: String? = nil, google: String? = nil) {
            self.apple = apple
            self.google = google
        }
    }

    /// Makes the providers.
    ///
    /// - Parameters:
    ///   - verifier: The tool that verifies ID tokens.
    ///   - endpoints: Overridden base URLs.
    package init(verifier: OIDCVerifier, endpoints: Endpoints) {
        all = [
            AppleProvider(verifier: verifier, endpoint: endpoints.apple),
            GoogleProvider(verifier: verifier, endpoint: endpoints.google),
            OIDCProvider(verifier: verifier),
        ]
    }

    /// The provider that serves an id, or `nil`.
    package func provider(_ providerID: String) -> (any IdentityProvider)? { all.first { $0.serves(providerID) } }
}
