/// Sign-in through providers' own pages, and what providers tell.
package struct FlowUseCases: Sendable {
    package let clients: ProviderClients
    package let providerTest: ProviderTest
    package let authorization: AuthorizationFlows
    package let authURICreation: AuthURICreation
    package let browser: BrowserSignIn
    package let samlMetadata: SAMLMetadata
    package let appVerificationTokens: AppVerificationTokens
    package let appleTokenRevocation: AppleTokenRevocation
    package let appleNotifications: AppleNotifications
}
