package import Project

/// One kind of identity provider: verifies its credentials and says who the user is.
///
/// Adding a provider is one file with a conforming type, and one line in `Providers.all`.
package protocol IdentityProvider: Sendable {
    /// Whether this type serves a provider id, such as `apple.com` or `oidc.example`.
    func serves(_ providerID: String) -> Bool

    /// Verifies a credential.
    ///
    /// - Parameters:
    ///   - credential: What the client brought.
    ///   - config: The provider as configured for the scope; enabled.
    /// - Returns: Who the user is.
    /// - Throws: ``ProviderError``, or `APIError` for a wrong nonce and for shapes of credential that the provider does not
    ///   take.
    func verify(_ credential: IdPCredential, config: IdPConfig) async throws -> VerifiedIdentity
}
