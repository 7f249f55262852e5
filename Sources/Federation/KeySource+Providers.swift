extension KeySource {
    /// The location of the keys of a registration's provider; `nil` for a provider that signs nothing.
    ///
    /// - Parameters:
    ///   - registration: Our registration.
    ///   - endpoints: The base URLs of the providers.
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
