import Project

/// Makes the profiles of providers with a discovery document, for the use of provider types.
struct OpenIDAuthorization: Sendable {
    let metadata: DiscoveryCache

    /// The profile for a registration (`Docs/Contract/web-handler.md` §7.1).
    ///
    /// - Parameter usesCode: Whether to request a code; otherwise an ID token in a form is requested.
    /// - Returns: The profile, with PKCE, a nonce and the usual scopes.
    /// - Throws: ``ProviderError``; `APIError` `OPERATION_NOT_ALLOWED` for a code without a client secret.
    func profile(for client: ClientRegistration, issuer: String, usesCode: Bool) async throws -> AuthorizationProfile {
        let secret = usesCode ? try client.requireSecret() : nil
        let metadata = try await metadata.metadata(of: issuer)
        var profile = AuthorizationProfile(
            grant: usesCode ? .code : .idToken,
            clientID: client.clientID,
            authorizationEndpoint: try metadata.requireAuthorizationEndpoint()
        )
        if let secret {
            guard let tokenEndpoint = metadata.tokenEndpoint else {
                throw ProviderError(.exchange, "The identity provider announces no token endpoint.")
            }
            profile.tokenEndpoint = tokenEndpoint
            profile.authentication = try metadata.authentication(secret: secret)
        } else {
            profile.usesPKCE = false
            let takesForms = metadata.responseModes?.contains("form_post") ?? true
            profile.responseMode = takesForms ? "form_post" : "fragment"
        }
        profile.scopes = ["openid", "email", "profile"]
        profile.usesNonce = true
        profile.issuers = [issuer]
        profile.requiresIssuer = metadata.announcesIssuerParameter
        return profile
    }
}
