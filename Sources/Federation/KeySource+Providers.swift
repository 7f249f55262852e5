extension KeySource {
    /// Where the provider of a registration publishes its keys; `nil` for one that signs nothing.
    ///
    /// - Parameters:
    ///   - registration: Ours.
    ///   - endpoints: Where the providers live.
    package init?(_ registration: ClientRegistration, _ endpoints: Providers.Endpoints) {
        switch registration.providerID {
        case "apple.com": self = .pinned(url: AppleProvider.keysURL(endpoint: endpoints.apple))
        case "google.com": self = .discovery(issuer: endpoints.google ?? GoogleProvider.realIssuer)
        case "facebook.com": self = .pinned(url: FacebookProvider.keysURL(web: endpoints.facebookDialog))
        case "microsoft.com": self = MicrosoftProvider.keys(base: endpoints.microsoft)
        case "yahoo.com": self = .discovery(issuer: endpoints.yahoo)
        case "linkedin.com": self = .discovery(issuer: endpoints.linkedin)
        default:
            guard let issuer = registration.issuer else { return nil }
            self = .discovery(issuer: issuer)
        }
    }
}
