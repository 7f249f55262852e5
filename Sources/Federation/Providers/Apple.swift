package import Project

/// Sign in with Apple (`apple.com`): ID tokens for our bundle ids and Services ID; on the web a code and an ID token, posted as a
/// form (`Docs/Contract/web-handler.md` §7.2).
///
/// The issuer comes from a pinned list and the keys from a pinned URL, never from live discovery (`Docs/Contract/rulings.md` 6).
package struct AppleProvider: AuthorizationProvider {
    package static let providerID = "apple.com"
    package static let facts = ProviderFacts(
        id: providerID,
        label: "Apple",
        endpoints: [home],
        clientID: .unlessBundleIDs,
        secretPath: ["appleSignInConfig", "codeFlowConfig", "privateKey"],
        givesNameOnce: true
    )

    static let home = ProviderEndpoint(
        "apple",
        at: "https://appleid.apple.com",
        "Apple's issuer; keys, token, revocation and authorization are under it",
        aliases: ["https://account.apple.com"]
    )

    /// The accepted issuers of tokens and notifications (`Docs/Contract/rulings.md` 6).
    let issuers: [String]
    /// The URL of the keys.
    let keysURL: String
    private let endpoint: String
    private let verifier: OIDCVerifier
    private let secrets: AppleClientSecret

    package init(_ tools: ProviderTools) {
        endpoint = tools.endpoints[Self.home]
        issuers = tools.endpoints.issuers(Self.home)
        keysURL = endpoint + "/auth/keys"
        verifier = tools.verifier
        secrets = AppleClientSecret(environment: tools.environment, audience: endpoint)
    }

    package func keys(for registration: ClientRegistration) -> KeySource? { .pinned(url: keysURL) }

    package func verifiesIDTokensFirst(_ config: IdPConfig) -> Bool { true }

    package func verify(_ credential: IdPCredential, config: IdPConfig) async throws -> VerifiedIdentity {
        let idToken = try credential.requireIDToken()
        let token = try await verifier.verify(
            idToken,
            of: credential,
            policy: .init(issuers: issuers, audiences: config.audiences, keys: .pinned(url: keysURL), nonce: .apple)
        )
        var identity = VerifiedIdentity(providerID: credential.providerID, rawID: token.subject, rawUserInfo: token.claims)
        // The e-mail comes from the signed token only. The user object beside it can be forged (threat case APL-05).
        identity.email = token.claims["email"]?.string.flatMap(EmailAddress.canonical)
        identity.isEmailVerified = identity.email != nil && isTrue(token.claims["email_verified"])
        identity.takeName(from: credential.user)
        identity.takeTokens(of: credential)
        identity.singleUses = token.singleUse.map { [$0] } ?? []
        return identity
    }

    // Apple has sent both a boolean and a text (`Docs/Contract/rulings.md` 5).
    private func isTrue(_ claim: JSONValue?) -> Bool { claim == .bool(true) || claim == .string("true") }

    package static func completeStandIn(_ identity: inout VerifiedIdentity, claims: JSONValue, credential: IdPCredential) {
        identity.takeName(from: credential.user)
    }

    package func remarks(on registration: ClientRegistration) -> [ProviderCheck.Finding] {
        guard registration.appleKey == nil else { return [] }
        let text = "there is no private key: codes cannot be exchanged, and tokens of Apple not be revoked"
        return [ProviderCheck.Finding(subject: "secret", isGood: true, text: text)]
    }

    /// The endpoint that revokes tokens.
    var revocationEndpoint: String { endpoint + "/auth/revoke" }

    package func profile(
        for client: ClientRegistration,
        _ selection: AuthorizationSelection
    ) async throws -> AuthorizationProfile {
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

extension VerifiedIdentity {
    /// Takes the full name that Apple sends once, beside the token. It is unsigned and used for display only.
    mutating func takeName(from user: String?) {
        guard let user, user.utf8.count <= 4096, let name = try? JSONValue.parse(user.utf8)["name"] else { return }
        let (first, last) = (
            name["firstName"]?.string.flatMap(ProfileText.name), name["lastName"]?.string.flatMap(ProfileText.name)
        )
        guard let full = ProfileText.name([first, last].compactMap { $0 }.joined(separator: " ")) else { return }
        (firstName, lastName, displayName) = (first, last, full)
    }
}
