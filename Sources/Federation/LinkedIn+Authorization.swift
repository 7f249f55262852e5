/// LinkedIn, with its discovery document. Its ID tokens carry no nonce, and its confidential clients do not use PKCE.
struct LinkedInAuthorization: AuthorizationProvider {
    let discovery: OpenIDAuthorization
    let issuer: String

    func serves(_ providerID: String) -> Bool { providerID == "linkedin.com" }

    func profile(for client: ClientRegistration, _ selection: AuthorizationSelection) async throws -> AuthorizationProfile {
        var profile = try await discovery.profile(for: client, issuer: issuer, usesCode: true)
        profile.usesNonce = false
        profile.usesPKCE = false
        return profile
    }
}
