import Federation
import Project

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

    init(_ ground: Ground, _ parts: SharedParts) {
        let environment = ground.environment
        let apple = parts.providers.the(AppleProvider.self)
        let appleTokens = AppleTokens(apple: apple, http: environment.http)
        let notifications = AppleNotificationVerifier(keySets: parts.keySets, environment: environment, apple: apple)
        clients = parts.clients
        providerTest = ProviderTest(ground: ground, clients: parts.clients, publicURL: parts.continueURLs.publicURL)
        authorization = parts.flows
        let methods = SignInMethods(ground: ground)
        authURICreation = AuthURICreation(ground: ground, methods: methods, flows: parts.flows, clients: parts.clients)
        appVerificationTokens = parts.verificationTokens
        browser = BrowserSignIn(
            ground: ground,
            flows: parts.flows,
            verification: parts.verificationTokens,
            continueURLs: parts.continueURLs
        )
        samlMetadata = SAMLMetadata(ground: ground, keys: parts.serviceKeys, publicURL: parts.continueURLs.publicURL)
        appleTokenRevocation = AppleTokenRevocation(ground: ground, clients: parts.clients, apple: appleTokens)
        appleNotifications = AppleNotifications(ground: ground, verifier: notifications)
    }
}
