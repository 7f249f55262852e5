import Federation
package import Project
import SAML
import Tenancy
import Tokens

/// What a SAML provider's operator needs to know of this server: the metadata of the service provider
/// (`Docs/Providers/SAML.md`). It holds public values only, so that anybody may read it.
package struct SAMLMetadata: Sendable {
    let configurations: ConfigurationStore
    let keys: ServiceProviderKeys
    let publicURL: @Sendable () -> String

    /// Writes the metadata for one provider.
    ///
    /// - Returns: XML in UTF-8; `nil` when no such provider is configured, or its configuration is incomplete.
    package func document(_ providerID: String, scope: Scope) async throws -> [UInt8]? {
        let configuration = try await configurations.configuration(of: scope)
        guard let config = configuration.identityProviders[providerID]?.saml else { return nil }
        let domains = configuration.policy.authorizedDomains
        let consumers = SAMLConsumers(callback: config.assertionConsumerURL, domains: domains, publicURL: publicURL())
        let metadata = ServiceProviderMetadata(
            entityID: config.serviceProvider,
            assertionConsumerURLs: consumers.listed,
            certificates: try await keys.certificates(makesKeys: true),
            signsRequests: config.signsRequests
        )
        return try? metadata.xml()
    }
}
