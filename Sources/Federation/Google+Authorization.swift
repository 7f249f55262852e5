/// Google: a code if it can be exchanged, because the exchange also gives an access and a refresh token; otherwise an ID token.
struct GoogleAuthorization: AuthorizationProvider {
    let discovery: OpenIDAuthorization
    let issuer: String

    func serves(_ providerID: String) -> Bool { providerID == "google.com" }

    func profile(for client: ClientRegistration, _ selection: AuthorizationSelection) async throws -> AuthorizationProfile {
        let usesCode = selection.wantsCode || client.clientSecret != nil
        var profile = try await discovery.profile(for: client, issuer: issuer, usesCode: usesCode)
        // Google's native libraries request codes for a server to exchange. Codes of our own flows are bound by PKCE.
        profile.takesServerAuthCodes = usesCode
        return profile
    }
}
