package import Federation
package import Project
import Storage
import Tenancy
import Tokens

/// Sign-in and linking with Game Center's signature (`Docs/Contract/client-accounts.md` §6).
package struct GameCenterSignIn: Sendable {
    let configurations: ConfigurationStore
    let idTokens: IDTokenRules
    let provider: GameCenterProvider
    let pipeline: SignInPipeline

    /// Runs a sign-in of the app that calls.
    ///
    /// - Throws: `APIError` `MISSING_CLIENT_IDENTIFIER`, which leaves no audit record.
    package func signIn(
        _ proof: GameCenterProof,
        idToken: String?,
        context: CallContext
    ) async throws -> (session: AcceptedSignIn.Session, displayName: String?) {
        var (proof, context) = (proof, context)
        proof.bundleID = try require(context.iosBundleID.flatMap { $0.isEmpty ? nil : $0 }, .missingClientIdentifier)
        context.refusalFacts.note(provider: GameCenterProvider.providerID)
        // As with other providers, the ID token selects its tenant, and its errors come after the proof's.
        let linkTo = idTokens.select(idToken, in: &context)
        let configuration = try await configurations.configuration(of: context.scope)
        let config = configuration.identityProviders[GameCenterProvider.providerID]
        guard let config, config.isEnabled else { throw APIError(.operationNotAllowed) }
        // Without own audiences, the bundle ids of Apple's configuration are accepted, so they need not be configured twice.
        let apple = configuration.identityProviders[AppleProvider.providerID]?.bundleIDs ?? []
        let identity: VerifiedIdentity
        do {
            identity = try await provider.verify(proof, bundleIDs: config.audiences.isEmpty ? apple : config.audiences)
        } catch let error as ProviderError {
            throw error.apiError
        }
        let link = try linkTo?.get()
        let signIn = SignInProof(method: .identityProvider(identity), linkTo: link)
        let outcome = try await pipeline.complete(signIn, configuration: configuration, context: context)
        return (try outcome.session(), identity.displayName)
    }
}
