package import Federation
package import Project
import Storage
import Tenancy
import Tokens

/// Reads this server's registrations at the identity providers, with their secrets.
package struct ProviderClients: UsesRuntime {
    let runtime: Runtime
    let sealer: TokenSealer
    let providers: Providers

    /// Whether people of a scope can sign in through a provider's pages.
    package func isReady(_ providerID: String, scope: Scope) async throws -> Bool {
        guard providers.authorization(providerID) != nil else { return false }
        return try await configurations.configuration(of: scope).identityProviders[providerID]?.isEnabled ?? false
    }

    /// Reads a provider and this server's registration there.
    ///
    /// - Parameter providerID: In lower case.
    /// - Throws: `APIError` `INVALID_PROVIDER_ID` for a provider without sign-in pages, `OPERATION_NOT_ALLOWED` when it is not
    ///   configured or switched off.
    package func client(
        _ providerID: String,
        scope: Scope
    ) async throws -> (provider: any AuthorizationProvider, registration: ClientRegistration) {
        let configuration = try await configurations.configuration(of: scope)
        let config = configuration.identityProviders[providerID]
        guard let provider = providers.authorization(providerID) else { throw APIError(.invalidProviderID) }
        guard let config else {
            throw APIError(.operationNotAllowed, "The identity provider configuration is not found.")
        }
        let document = try await database.read { transaction in
            try transaction.resources(scope).first {
                ProviderCollection(kind: $0.kind) != nil && $0.resourceID.lowercased() == providerID
            }?.document
        }
        guard config.isEnabled, let document else {
            throw APIError(.operationNotAllowed, "The identity provider configuration is disabled.")
        }
        let secrets = ConfigurationSecrets(sealer: sealer, scope: scope)
        let opened = ConfigurationSecrets.providerPaths.reduce(document) { secrets.opened($0, path: $1) }
        return (provider, try ClientRegistration(providerID: providerID, document: opened))
    }
}
