import Project

/// Any OpenID provider, with its discovery document. `responseType` selects the kind of answer.
struct OIDCAuthorization: AuthorizationProvider {
    let discovery: OpenIDAuthorization

    func serves(_ providerID: String) -> Bool { providerID.hasPrefix("oidc.") && providerID.utf8.count > 5 }

    func profile(for client: ClientRegistration, _ selection: AuthorizationSelection) async throws -> AuthorizationProfile {
        guard let issuer = client.issuer else {
            throw APIError(.operationNotAllowed, "The identity provider configuration has no issuer.")
        }
        return try await discovery.profile(for: client, issuer: issuer, usesCode: client.usesCode)
    }
}
