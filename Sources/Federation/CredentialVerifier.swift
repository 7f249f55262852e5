package import Logging
package import Project

/// Verifies the credentials of all providers. Each credential names its provider.
package struct CredentialVerifier: Sendable {
    let providers: Providers
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

    /// Verifies a credential.
    ///
    /// - Parameter isExchanged: Whether the provider gave the credential to this server for a code. Development verifies such a
    ///   credential too.
    /// - Throws: `APIError` as in `Docs/Contract/client-accounts.md` §5.3; ``DevelopmentCredential/Opaque``.
    package func verify(
        _ credential: IdPCredential,
        config: IdPConfig?,
        isExchanged: Bool = false
    ) async throws -> VerifiedIdentity {
        // The name of a provider that is not configured is the client's own text.
        try await Room.verifyCredential.trace(["postern.provider": config == nil ? "other" : credential.providerID]) {
            try await verifyHere(credential, config: config, isExchanged: isExchanged)
        }
    }

    private func verifyHere(
        _ credential: IdPCredential,
        config: IdPConfig?,
        isExchanged: Bool
    ) async throws -> VerifiedIdentity {
        // A response to a request of this server's is the provider's own; only development's stand-in belongs to no request.
        if mode.alwaysVerifiesCredentials || credential.samlRequest != nil {
            return try await verifyStrictly(credential, config: config)
        }
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

    /// Whether the provider is called about a credential before anything of it was verified here, so that strangers can cause the
    /// call. A credential that the provider itself gave for a code causes calls, too, but not a stranger's.
    package func asksProvider(about credential: IdPCredential, config: IdPConfig?) -> Bool {
        guard !credential.isExchanged, credential.accessToken != nil || credential.authorizationCode != nil, let config,
            let provider = providers.provider(credential.providerID)
        else { return false }
        return credential.idToken == nil || !provider.verifiesIDTokensFirst(config)
    }

    /// Checks that a provider may vouch for users, before its credential is read. In development every provider with a valid name
    /// may.
    ///
    /// - Throws: `APIError` `INVALID_PROVIDER_ID`, `OPERATION_NOT_ALLOWED` (`Docs/Contract/client-accounts.md` §5.3, row 4).
    package func checkProvider(_ providerID: String, config: IdPConfig?) throws {
        guard Self.isName(providerID) else { throw APIError(.invalidProviderID) }
        if mode.needsConfiguredProviders { _ = try requireProvider(providerID, config: config) }
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

    private func requireProvider(
        _ providerID: String,
        config: IdPConfig?
    ) throws -> (provider: any IdentityProvider, config: IdPConfig) {
        guard let provider = providers.provider(providerID) else { throw APIError(.invalidProviderID) }
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
