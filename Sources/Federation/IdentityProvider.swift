package import Project

/// One kind of identity provider: what it is, how its credentials are verified, where its keys are.
///
/// A provider is one file with a type that conforms, and one line in ``Providers/all``. One that users can be sent to conforms
/// to ``AuthorizationProvider``, too.
package protocol IdentityProvider: Sendable {
    /// What the rest of the code asks about the provider.
    static var facts: ProviderFacts { get }

    /// Makes the provider out of the tools that all providers share.
    init(_ tools: ProviderTools)

    /// Verifies a credential.
    ///
    /// - Parameter config: The provider's configuration in the scope, which is enabled.
    /// - Throws: ``ProviderError``, or `APIError` for a wrong nonce and for kinds of credentials that the provider does not
    ///   accept.
    func verify(_ credential: IdPCredential, config: IdPConfig) async throws -> VerifiedIdentity

    /// Whether a credential that has an ID token is refused on this server where that token is not good. Any other credential leads
    /// to calls of the provider by its form alone.
    func verifiesIDTokensFirst(_ config: IdPConfig) -> Bool

    /// The location of the provider's keys. The default is the discovery document of the registration's issuer.
    ///
    /// - Returns: The location; `nil` for a provider that signs nothing.
    func keys(for registration: ClientRegistration) -> KeySource?

    /// What an operator should know of a registration, beyond what ``ProviderCheck`` looks at everywhere.
    func remarks(on registration: ClientRegistration) -> [ProviderCheck.Finding]

    /// Completes the identity of a stand-in credential with what only this provider sends. Development only, see
    /// ``DevelopmentCredential``.
    static func completeStandIn(_ identity: inout VerifiedIdentity, claims: JSONValue, credential: IdPCredential)
}

extension IdentityProvider {
    package func keys(for registration: ClientRegistration) -> KeySource? {
        registration.issuer.map { .discovery(issuer: $0) }
    }

    package func verifiesIDTokensFirst(_ config: IdPConfig) -> Bool { false }

    package func remarks(on registration: ClientRegistration) -> [ProviderCheck.Finding] { [] }

    package static func completeStandIn(_ identity: inout VerifiedIdentity, claims: JSONValue, credential: IdPCredential) {}
}

/// An identity provider that users can be sent to.
package protocol AuthorizationProvider: IdentityProvider {
    /// The profile for our registration there.
    ///
    /// - Throws: ``ProviderError`` when the provider cannot be reached; `APIError` `OPERATION_NOT_ALLOWED` for an incomplete
    ///   registration.
    func profile(for client: ClientRegistration, _ selection: AuthorizationSelection) async throws -> AuthorizationProfile
}
