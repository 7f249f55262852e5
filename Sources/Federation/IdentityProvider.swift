package import Project

/// One kind of identity provider. It verifies credentials and returns the user's identity.
///
/// Adding a provider is one file with a conforming type, and one line in `Providers.all`.
package protocol IdentityProvider: Sendable {
    /// Whether this type serves a provider id, such as `apple.com` or `oidc.example`.
    func serves(_ providerID: String) -> Bool

    /// Verifies a credential.
    ///
    /// - Parameters:
    ///   - credential: The client's credential.
    ///   - config: The provider's configuration in the scope, which is enabled.
    /// - Returns: The user's identity.
    /// - Throws: ``ProviderError``, or `APIError` for a wrong nonce and for kinds of credentials that the provider does not
    ///   accept.
    func verify(_ credential: IdPCredential, config: IdPConfig) async throws -> VerifiedIdentity
}
