package import Federation
package import Project
package import Storage
package import Tokens

/// Our registrations at the identity providers, read with their secrets for whoever is about to use one.
package struct ProviderClients: Sendable {
    private let database: any Database
    private let configurations: ConfigurationStore
    private let providers: Providers
    private let sealer: TokenSealer

    package init(
        database: any Database,
        configurations: ConfigurationStore,
        providers: Providers,
        sealer: TokenSealer
    ) {
        self.database = database
        self.configurations = configurations
        self.providers = providers
        self.sealer = sealer
    }

    /// Whether people of a scope can be sent to a provider.
    package func isReady(_ providerID: String, scope: Scope) async throws -> Bool {
        guard providers.authorization(providerID) != nil else { return false }
        return try await configurations.configuration(of: scope).identityProviders[providerID]?.isEnabled ?? false
    }

    /// A provider and our registration there.
    ///
    /// - Parameters:
    ///   - providerID: In lower case.
    ///   - scope: Whose configuration.
    /// - Returns: Both.
    /// - Throws: `APIError` `INVALID_PROVIDER_ID` for one that nobody can be sent to, `OPERATION_NOT_ALLOWED` when it is not
    ///   configured or switched off; `StorageError`.
    package func client(
        _ providerID: String,
        scope: Scope
    ) async throws -> (provider: any AuthorizationProvider, registration: ClientRegistration) {
        let configuration = try await configurations.configuration(of: scope)
        let config = configuration.identityProviders[providerID]
        guard let provider = providers.authorization(providerID) else { throw APIError.unserved(config) }
        guard let config else {
            throw APIError(.operationNotAllowed, "The identity provider configuration is not found.")
        }
        let document = try await database.read { transaction in
            try transaction.resources(scope).first {
                ($0.kind == .defaultSupportedIdpConfig || $0.kind == .oauthIdpConfig)
                    && $0.resourceID.lowercased() == providerID
            }?.document
        }
        guard config.isEnabled, let document else {
            throw APIError(.operationNotAllowed, "The identity provider configuration is disabled.")
        }
        let secrets = ConfigurationSecrets(sealer: sealer, scope: scope)
        let opened = IdPConfig.secretPaths.reduce(document) { secrets.opened($0, path: $1) }
        return (provider, try ClientRegistration(providerID: providerID, document: opened))
    }
}
