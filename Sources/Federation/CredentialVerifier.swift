package import Logging
package import Project

/// Verifies whatever credential a client brings, by the provider that it names.
package struct CredentialVerifier: Sendable {
    let providers: Providers
    private let mode: ModeRules
    private let verifiesSigned: Bool
    let logger: Logger

    /// - Parameters:
    ///   - providers: Every provider there is.
    ///   - mode: Production verifies everything.
    ///   - verifiesSigned: `development.verifyCredentials`: whether development verifies what a configured provider signed.
    ///   - logger: Told of what development takes unverified.
    package init(providers: Providers, mode: ModeRules, verifiesSigned: Bool, logger: Logger) {
        self.providers = providers
        self.verifiesSigned = verifiesSigned
        self.mode = mode
        self.logger = logger
    }

    /// Verifies a credential.
    ///
    /// - Parameters:
    ///   - credential: What the client brought.
    ///   - config: The provider's configuration in this scope, if it has any.
    ///   - isExchanged: Whether the provider gave the credential to this server, for a code: development verifies that, too.
    /// - Returns: Who the user is.
    /// - Throws: `APIError` as in `contract/client-accounts.md` §5.3; ``DevelopmentCredential/Opaque``.
    package func verify(
        _ credential: IdPCredential,
        config: IdPConfig?,
        isExchanged: Bool = false
    ) async throws -> VerifiedIdentity {
        if mode.alwaysVerifiesCredentials { return try await verifyStrictly(credential, config: config) }
        let saml = try DevelopmentSAML(credential)
        var identity = try await verifyInDevelopment(
            credential,
            standIn: saml?.claims,
            config: config,
            verifies: verifiesSigned || isExchanged
        )
        saml?.apply(to: &identity)
        identity.takeStandInAccessToken()
        return identity
    }

    /// Checks that a provider may vouch for somebody, before its credential is looked at; in development any may that has a name.
    ///
    /// - Parameters:
    ///   - providerID: The provider, in lower case.
    ///   - config: Its configuration in this scope, if it has any.
    /// - Throws: `APIError` `INVALID_PROVIDER_ID`, `OPERATION_NOT_ALLOWED` (`contract/client-accounts.md` §5.3, row 4).
    package func checkProvider(_ providerID: String, config: IdPConfig?) throws {
        guard providerID.wholeMatch(of: /[a-z0-9._-]+/) != nil else { throw APIError(.invalidProviderID) }
        if mode.needsConfiguredProviders { _ = try requireProvider(providerID, config: config) }
    }

    private func requireProvider(
        _ providerID: String,
        config: IdPConfig?
    ) throws -> (provider: any IdentityProvider, config: IdPConfig) {
        guard let provider = providers.provider(providerID) else { throw APIError.unserved(config) }
        guard let config else {
            throw APIError(.operationNotAllowed, "The identity provider configuration is not found.")
        }
        guard config.isEnabled else {
            throw APIError(.operationNotAllowed, "The identity provider configuration is disabled.")
        }
        return (provider, config)
    }

    private func verifyStrictly(_ credential: IdPCredential, config: IdPConfig?) async throws -> VerifiedIdentity {
        let (provider, config) = try requireProvider(credential.providerID, config: config)
        do {
            return try await provider.verify(credential, config: config)
        } catch let error as ProviderError {
            throw error.apiError
        }
    }
}
