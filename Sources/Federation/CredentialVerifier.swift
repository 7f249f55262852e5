package import Logging
package import Project

/// Verifies the credentials of all providers. Each credential names its provider.
package struct CredentialVerifier: Sendable {
    private let providers: Providers
    private let mode: ModeRules
    private let verifiesSigned: Bool
    let logger: Logger

    /// - Parameters:
    ///   - mode: Production verifies everything.
    ///   - verifiesSigned: `development.verifyCredentials`: whether development verifies credentials that a configured provider
    ///     signed.
    package init(providers: Providers, mode: ModeRules, verifiesSigned: Bool, logger: Logger) {
        self.providers = providers
        self.verifiesSigned = verifiesSigned
        self.mode = mode
        self.logger = logger
    }

    /// What a scope has under a provider's id: the code that serves it, and its configuration.
    package struct Found: Sendable {
        let provider: (any IdentityProvider)?
        let config: IdPConfig?

        /// The provider and its configuration, if it may vouch for users.
        ///
        /// - Throws: `APIError` `INVALID_PROVIDER_ID`, `OPERATION_NOT_ALLOWED`.
        func enabled() throws -> (provider: any IdentityProvider, config: IdPConfig) {
            guard let provider else { throw APIError(.invalidProviderID) }
            guard let config else {
                throw APIError(.operationNotAllowed, "The identity provider configuration is not found.")
            }
            guard config.isEnabled else {
                throw APIError(.operationNotAllowed, "The identity provider configuration is disabled.")
            }
            return (provider, config)
        }
    }

    /// Looks a provider up.
    package func find(_ providerID: String, config: IdPConfig?) -> Found {
        Found(provider: providers.provider(providerID), config: config)
    }

    /// Verifies a credential.
    ///
    /// - Parameters:
    ///   - found: What the scope has under the provider's id that the credential names.
    ///   - isExchanged: Whether the provider gave the credential to this server for a code. Development verifies such a
    ///     credential too.
    /// - Throws: `APIError` as in `Docs/Contract/client-accounts.md` §5.3; ``DevelopmentCredential/Opaque``.
    package func verify(
        _ credential: IdPCredential,
        by found: Found,
        isExchanged: Bool = false
    ) async throws -> VerifiedIdentity {
        // The name of a provider that is not configured is the client's own text.
        try await TracedOperation.verifyCredential.trace([
            "postern.provider": found.config == nil ? "other" : credential.providerID
        ]) {
            try await verifyHere(credential, by: found, isExchanged: isExchanged)
        }
    }

    private func verifyHere(
        _ credential: IdPCredential,
        by found: Found,
        isExchanged: Bool
    ) async throws -> VerifiedIdentity {
        // A response to a request of this server's is the provider's own; only development's stand-in belongs to no request.
        if mode.alwaysVerifiesCredentials || credential.samlRequest != nil {
            return try await verifyStrictly(credential, by: found)
        }
        let saml = try DevelopmentSAML(credential)
        var identity = try await verifyInDevelopment(
            credential,
            standIn: saml?.claims,
            by: found,
            verifies: verifiesSigned || isExchanged
        )
        saml?.apply(to: &identity)
        identity.takeStandInAccessToken()
        return identity
    }

    /// Whether the provider is called about a credential before anything of it was verified here, so that strangers can cause the
    /// call. A credential that the provider itself gave for a code causes calls, too, but not a stranger's.
    package func asksProvider(about credential: IdPCredential, by found: Found) -> Bool {
        guard !credential.isExchanged, credential.accessToken != nil || credential.authorizationCode != nil,
            let config = found.config, let provider = found.provider
        else { return false }
        return credential.idToken == nil || !provider.verifiesIDTokensFirst(config)
    }

    /// Looks a provider up and checks that it may vouch for users, before its credential is read. In development every provider with a
    /// valid name may.
    ///
    /// - Throws: `APIError` `INVALID_PROVIDER_ID`, `OPERATION_NOT_ALLOWED` (`Docs/Contract/client-accounts.md` §5.3, row 4).
    package func checkProvider(_ providerID: String, config: IdPConfig?) throws -> Found {
        guard Self.isName(providerID) else { throw APIError(.invalidProviderID) }
        let found = find(providerID, config: config)
        if mode.needsConfiguredProviders { _ = try found.enabled() }
        return found
    }

    // Bytes are compared, because every sign-in passes here and a regular expression would cost a tenth of it.
    private static func isName(_ providerID: String) -> Bool {
        !providerID.isEmpty
            && providerID.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
                    UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    private func verifyStrictly(_ credential: IdPCredential, by found: Found) async throws -> VerifiedIdentity {
        let (provider, config) = try found.enabled()
        do {
            return try await provider.verify(credential, config: config)
        } catch let error as ProviderError {
            throw error.apiError
        }
    }
}
