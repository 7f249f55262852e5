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
    let saml: SAMLTools

    package init(
        environment: ServerEnvironment,
        endpoints: ProviderEndpoints,
        keySets: KeySetCache,
        gameCenterTrust: GameCenterTrust,
        saml: SAMLTools
    ) {
        self.environment = environment
        self.endpoints = endpoints
        self.gameCenterTrust = gameCenterTrust
        self.saml = saml
        verifier = OIDCVerifier(keySets: keySets, environment: environment)
        api = ProviderAPI(environment.http)
        discovery = DiscoveryCache(environment: environment)
        userInfo = UserInfo(api: api, verifier: verifier, discovery: discovery)
        openID = OpenIDAuthorization(metadata: discovery)
    }
}
