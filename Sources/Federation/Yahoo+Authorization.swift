/// Yahoo, with its discovery document.
struct YahooAuthorization: AuthorizationProvider {
    let discovery: OpenIDAuthorization
    let issuer: String

    func serves(_ providerID: String) -> Bool { providerID == "yahoo.com" }

    func profile(for client: ClientRegistration, _ selection: AuthorizationSelection) async throws -> AuthorizationProfile {
        try await discovery.profile(for: client, issuer: issuer, usesCode: true)
    }
}
