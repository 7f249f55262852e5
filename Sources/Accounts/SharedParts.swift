import Federation
import Logging
import Passwords
import Project
import Settings
import Tokens
import WebAuthn

/// What several use cases share, built once.
struct SharedParts {
    let hasher: PasswordHasher
    let mint: SessionMint
    let renewal: SessionRenewal
    let mail: OOBMail
    let notices: OOBNotices
    let continueURLs: ContinueURLRule
    let recaptcha: RecaptchaGate
    let pipeline: SignInPipeline
    let credentials: CredentialChange
    let keySets: KeySetCache
    let providers: Providers
    let clients: ProviderClients
    let flows: AuthorizationFlows
    let verificationTokens: AppVerificationTokens
    let smsCodes: SMSCodeService
    let challenges: PasskeyChallenges
    let serviceAccounts: ServiceAccountDirectory
    let serviceKeys: ServiceProviderKeys
    let metadata: IdentityProviderMetadataReader

    init(_ ground: Ground, _ settings: Settings, _ outside: UseCases.Outside) throws {
        let publicURL = outside.publicURL
        hasher = outside.hasher
        mint = SessionMint(ground: ground)
        renewal = SessionRenewal(ground: ground, mint: mint)
        mail = OOBMail(
            codes: OOBCodeMint(ground: ground),
            links: OOBLink(ground: ground, publicURL: publicURL, apiKey: settings.project.linkKey),
            mailer: outside.mailer
        )
        notices = OOBNotices(ground: ground, mail: mail)
        continueURLs = ContinueURLRule(ground: ground, publicURL: publicURL)
        recaptcha = RecaptchaGate(
            ground: ground,
            verifier: RecaptchaVerifier(
                ground: ground,
                secret: settings.recaptcha.site?.secret.reveal(),
                url: settings.recaptcha.verifyURL.text
            ),
            publicURL: publicURL
        )
        pipeline = SignInPipeline(
            ground: ground,
            notices: notices,
            mint: mint,
            pendingFactors: PendingSecondFactors(ground: ground)
        )
        credentials = CredentialChange(ground: ground, hasher: outside.hasher, notices: notices)
        keySets = KeySetCache(environment: ground.environment, logger: ground.environment.logger)
        serviceKeys = outside.serviceKeys
        let saml = Self.samlTools(outside)
        metadata = IdentityProviderMetadataReader(environment: ground.environment, saml: saml)
        providers = try Self.providers(ground, settings, keySets, saml)
        clients = ProviderClients(ground: ground, providers: providers)
        flows = AuthorizationFlows(ground: ground, clients: clients, continueURLs: continueURLs)
        verificationTokens = AppVerificationTokens(ground: ground, isEnabled: settings.recaptcha.site == nil)
        smsCodes = SMSCodeService(
            ground: ground,
            verification: AppVerification(ground: ground, recaptcha: recaptcha, tokens: verificationTokens),
            messages: outside.messages
        )
        challenges = PasskeyChallenges(ground: ground, party: Self.relyingParty(ground, settings.passkeys, publicURL))
        serviceAccounts = ServiceAccountDirectory(ground: ground)
    }

    private static func samlTools(_ outside: UseCases.Outside) -> SAMLTools {
        let keys = outside.serviceKeys
        return SAMLTools(
            verifier: outside.samlVerification,
            storedKeys: { try await keys.stored().map(SAMLTools.ServiceKey.init) },
            signingKey: { try await keys.keys().first.map(SAMLTools.ServiceKey.init) }
        )
    }

    private static func providers(
        _ ground: Ground,
        _ settings: Settings,
        _ keySets: KeySetCache,
        _ saml: SAMLTools
    ) throws -> Providers {
        let tools = ProviderTools(
            environment: ground.environment,
            endpoints: settings.endpoints,
            keySets: keySets,
            gameCenterTrust: try GameCenterTrust(settings.gameCenter),
            saml: saml
        )
        return Providers(tools)
    }

    // The emulator's relying party is always localhost.
    private static func relyingParty(
        _ ground: Ground,
        _ passkeys: PasskeySettings,
        _ publicURL: @escaping @Sendable () -> String
    ) -> @Sendable () -> RelyingParty {
        if let id = ground.mode.relyingPartyOfEveryPasskey { return { RelyingParty(id: id, origins: []) } }
        return {
            let url = WebURL(publicURL())
            // Without a public URL no origin is ours.
            let id = url.map(passkeys.rpID) ?? ""
            return RelyingParty(id: id, origins: url.map(passkeys.origins) ?? [])
        }
    }
}

extension SAMLTools.ServiceKey {
    fileprivate init(_ key: ServiceProviderKeys.Key) {
        self.init(certificate: key.certificate, privateKey: key.privateKey)
    }
}
