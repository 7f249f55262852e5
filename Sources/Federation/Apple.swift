import Project

/// Sign in with Apple: ID tokens for our bundle ids and Services ID (`apple.com`).
///
/// The issuer comes from a pinned list and the keys from a pinned URL, never from live discovery (`contract/rulings.md` 6).
struct AppleProvider: IdentityProvider {
    private let verifier: OIDCVerifier
    private let issuers: [String]
    private let keysURL: String

    /// - Parameters:
    ///   - verifier: The tool that verifies ID tokens.
    ///   - endpoint: `endpoints.apple` when overridden. It is then the only accepted issuer.
    init(verifier: OIDCVerifier, endpoint: String?) {
        self.verifier = verifier
        issuers = Self.issuers(endpoint: endpoint)
        keysURL = Self.keysURL(endpoint: endpoint)
    }

    /// The accepted issuers (`contract/rulings.md` 6).
    static func issuers(endpoint: String?) -> [String] {
        endpoint.map { [$0] } ?? ["https://appleid.apple.com", "https://account.apple.com"]
    }

    /// The URL of the keys.
    static func keysURL(endpoint: String?) -> String { (endpoint ?? "https://appleid.apple.com") + "/auth/keys" }

    func serves(_ providerID: String) -> Bool { providerID == "apple.com" }

    func verify(_ credential: IdPCredential, config: IdPConfig) async throws -> VerifiedIdentity {
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

    // Apple has sent both a boolean and a text (`contract/rulings.md` 5).
    private func isTrue(_ claim: JSONValue?) -> Bool { claim == .bool(true) || claim == .string("true") }
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
