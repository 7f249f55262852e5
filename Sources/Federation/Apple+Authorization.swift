import Project

/// Sign in with Apple on the web (`contract/web-handler.md` §7.2): a code and an ID token, posted as a form.
struct AppleAuthorization: AuthorizationProvider {
    private let secrets: AppleClientSecret
    private let endpoint: String
    private let issuers: [String]

    /// - Parameters:
    ///   - environment: The clock.
    ///   - overridden: `endpoints.apple` when set.
    init(environment: ServerEnvironment, overridden: String?) {
        endpoint = overridden ?? "https://appleid.apple.com"
        secrets = AppleClientSecret(environment: environment, audience: endpoint)
        issuers = AppleProvider.issuers(endpoint: overridden)
    }

    var revocationEndpoint: String { endpoint + "/auth/revoke" }

    func serves(_ providerID: String) -> Bool { providerID == "apple.com" }

    func profile(for client: ClientRegistration, _ selection: AuthorizationSelection) async throws -> AuthorizationProfile {
        try profile(for: client, clientID: client.clientID)
    }

    /// The profile of one of our client ids: the Services ID for the web, or a native app's bundle id.
    ///
    /// - Throws: `APIError` `OPERATION_NOT_ALLOWED` for an invalid private key.
    func profile(for client: ClientRegistration, clientID: String) throws -> AuthorizationProfile {
        var profile = AuthorizationProfile(
            grant: .codeAndIDToken,
            clientID: clientID,
            authorizationEndpoint: endpoint + "/auth/authorize"
        )
        // Without a key the code is not exchanged, and the ID token that came with it is the credential.
        if let key = client.appleKey {
            profile.tokenEndpoint = endpoint + "/auth/token"
            profile.authentication = .post(secret: try secrets.secret(key, clientID: clientID))
        }
        profile.scopes = ["name", "email"]
        profile.responseMode = "form_post"
        profile.usesPKCE = false
        profile.usesNonce = true
        profile.issuers = issuers
        return profile
    }
}
