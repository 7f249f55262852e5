package import Project

/// What providers are made of; what several of them share is made once.
package struct ProviderTools: Sendable {
    let environment: ServerEnvironment
    let endpoints: ProviderEndpoints
    let verifier: OIDCVerifier
    let api: ProviderAPI
    let discovery: DiscoveryCache
    let userInfo: UserInfo
    let openID: OpenIDAuthorization
    let gameCenterTrust: GameCenterTrust

    /// - Parameters:
    ///   - environment: Clock, randomness and outgoing HTTP.
    ///   - endpoints: The addresses of the providers.
    ///   - keySets: Their keys.
    ///   - gameCenterTrust: The authorities that may have certified Game Center's keys.
    package init(
        environment: ServerEnvironment,
        endpoints: ProviderEndpoints,
        keySets: KeySetCache,
        gameCenterTrust: GameCenterTrust
    ) {
        self.environment = environment
        self.endpoints = endpoints
        self.gameCenterTrust = gameCenterTrust
        verifier = OIDCVerifier(keySets: keySets, environment: environment)
        api = ProviderAPI(environment.http)
        discovery = DiscoveryCache(environment: environment)
        userInfo = UserInfo(environment: environment, discovery: discovery)
        openID = OpenIDAuthorization(metadata: discovery)
    }
}
