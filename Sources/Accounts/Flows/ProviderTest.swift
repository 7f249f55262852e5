package import Federation
package import Project
import Storage
import Tenancy

/// Tries out an identity provider for an operator: its documents and keys, and this server's registration there.
package struct ProviderTest: Sendable {
    let environment: ServerEnvironment
    let clients: ProviderClients
    /// `server.publicURL`
    let publicURL: @Sendable () -> String

    /// What was found.
    package struct Report: Sendable {
        /// The URL to register at the provider.
        package let redirectURI: String
        package let findings: [ProviderCheck.Finding]

        /// Whether users could sign in.
        package var isGood: Bool { findings.allSatisfy(\.isGood) }
    }

    package var redirectURI: String { publicURL() + HandlerDelivery.path }

    /// Whether a provider has anything to ask. Native sign-ins are tested by signing in.
    package static func canAsk(_ providerID: String) -> Bool {
        guard let kind = Providers.kind(of: providerID.lowercased()) else { return true }
        return kind is any AuthorizationProvider.Type
    }

    /// Tries a provider out.
    package func check(_ providerID: String, context: CallContext) async throws -> Report {
        let (provider, registration) = try await clients.client(providerID.lowercased(), scope: context.scope)
        let findings = await ProviderCheck(environment: environment).findings(
            registration,
            at: provider,
            redirectURI: redirectURI
        )
        return Report(redirectURI: redirectURI, findings: findings)
    }
}
