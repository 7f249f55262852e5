import Federation
import Passwords
import Project
import Settings
import Tokens
import WebAuthn

/// Gives each use case what it needs. What has a state is made once; the rest are values.
struct Wiring: UsesRuntime {
    let runtime: Runtime
    let settings: Settings
    let outside: UseCases.Outside
    let throttle: Throttle
    let dailyCounts: DailyCounts
    let refusals: RefusalAudit
    let codeMint: OOBCodeMint
    let serviceAccounts: ServiceAccountDirectory
    let keySets: KeySetCache
    let providers: Providers
    let metadata: IdentityProviderMetadataReader

    init(_ runtime: Runtime, _ settings: Settings, _ outside: UseCases.Outside) throws {
        let (database, environment, mode) = (runtime.database, runtime.environment, runtime.mode)
        self.runtime = runtime
        self.settings = settings
        self.outside = outside
        throttle = Throttle(database: database, environment: environment, limits: settings.limits, mode: mode)
        dailyCounts = DailyCounts(database: database, environment: environment)
        refusals = RefusalAudit(
            database: database,
            environment: environment,
            idTokens: outside.issuer,
            mode: mode,
            dailyCounts: dailyCounts
        )
        codeMint = OOBCodeMint(runtime: runtime, sealer: outside.sealer, lifetimes: settings.limits.oob)
        serviceAccounts = ServiceAccountDirectory(database: database, environment: environment)
        keySets = KeySetCache(environment: environment, logger: environment.logger)
        let saml = SAMLTools(outside)
        metadata = IdentityProviderMetadataReader(environment: environment, saml: saml)
        providers = Providers(
            ProviderTools(
                environment: environment,
                endpoints: settings.endpoints,
                keySets: keySets,
                gameCenterTrust: try GameCenterTrust(settings.gameCenter),
                saml: saml
            )
        )
    }

    var hasher: PasswordHasher { outside.hasher }

    var sealer: TokenSealer { outside.sealer }

    var issuer: TokenIssuer { outside.issuer }

    var publicURL: @Sendable () -> String { outside.publicURL }

    var projectID: String { settings.project.id }

    var recentLogin: RecentLoginRule {
        let (any, link) = (settings.limits.recentLoginSeconds, settings.limits.linkRecentLoginSeconds)
        return RecentLoginRule(window: .seconds(any), linkWindow: link == 0 ? nil : .seconds(link), mode: mode)
    }

    var idTokens: IDTokenRules { IDTokenRules(issuer: issuer, recentLogin: recentLogin) }

    var changeLog: ChangeLog { ChangeLog(environment: environment, sealer: sealer, events: outside.events) }

    var functions: BlockingFunctionCaller {
        BlockingFunctionCaller(environment: environment, mode: mode, issuer: issuer)
    }

    var mint: SessionMint {
        SessionMint(
            environment: environment,
            mode: mode,
            issuer: issuer,
            dailyCounts: dailyCounts,
            sessionsPerUser: settings.limits.sessionsPerUser
        )
    }

    var renewal: SessionRenewal { SessionRenewal(throttle: throttle, changeLog: changeLog, mint: mint) }

    var mail: OOBMail {
        OOBMail(
            codes: codeMint,
            links: OOBLink(mode: mode, publicURL: publicURL, apiKey: settings.project.linkKey),
            mailer: outside.mailer
        )
    }

    var notices: OOBNotices { OOBNotices(mode: mode, throttle: throttle, mail: mail) }

    var continueURLs: ContinueURLRule { ContinueURLRule(mode: mode, publicURL: publicURL) }

    var recaptcha: RecaptchaGate {
        RecaptchaGate(mode: mode, throttle: throttle, verifier: recaptchaVerifier, publicURL: publicURL)
    }

    var recaptchaVerifier: RecaptchaVerifier {
        RecaptchaVerifier(
            environment: environment,
            secret: settings.recaptcha.site?.secret.reveal(),
            url: settings.recaptcha.verifyURL.text
        )
    }

    var pendingFactors: PendingSecondFactors {
        PendingSecondFactors(
            environment: environment,
            mode: mode,
            sealer: sealer,
            lifetime: .seconds(settings.limits.mfaPendingSeconds)
        )
    }

    var pipeline: SignInPipeline {
        SignInPipeline(
            database: database,
            environment: environment,
            recentLogin: recentLogin,
            throttle: throttle,
            changeLog: changeLog,
            dailyCounts: dailyCounts,
            notices: notices,
            mint: mint,
            pendingFactors: pendingFactors,
            functions: functions
        )
    }

    var credentials: CredentialChange {
        CredentialChange(
            database: database,
            environment: environment,
            mode: mode,
            recentLogin: recentLogin,
            throttle: throttle,
            hasher: hasher,
            notices: notices
        )
    }

    var clients: ProviderClients { ProviderClients(runtime: runtime, sealer: sealer, providers: providers) }

    var flows: AuthorizationFlows {
        AuthorizationFlows(
            runtime: runtime,
            sealer: sealer,
            throttle: throttle,
            lifetime: .seconds(settings.limits.authorizationSeconds),
            clients: clients,
            continueURLs: continueURLs
        )
    }

    var verificationTokens: AppVerificationTokens {
        AppVerificationTokens(
            database: database,
            environment: environment,
            sealer: sealer,
            throttle: throttle,
            isEnabled: settings.recaptcha.site == nil
        )
    }

    var smsCodes: SMSCodeService {
        SMSCodeService(
            runtime: runtime,
            sealer: sealer,
            throttle: throttle,
            dailyCounts: dailyCounts,
            limits: settings.limits.phone,
            verification: appVerification,
            messages: outside.messages,
            functions: functions
        )
    }

    var appVerification: AppVerification {
        AppVerification(database: database, environment: environment, recaptcha: recaptcha, tokens: verificationTokens)
    }

    var challenges: PasskeyChallenges { PasskeyChallenges(environment: environment, sealer: sealer, party: relyingParty) }

    var secrets: TOTPSecrets { TOTPSecrets(environment: environment, sealer: sealer) }

    var accessTokens: ServiceAccountAccessTokens { ServiceAccountAccessTokens(environment: environment, sealer: sealer) }

    var creation: AccountCreation { AccountCreation(runtime: runtime, idTokens: idTokens, changeLog: changeLog, hasher: hasher) }

    var application: CodeApplication {
        CodeApplication(runtime: runtime, throttle: throttle, changeLog: changeLog, credentials: credentials)
    }

    var update: AccountUpdate {
        AccountUpdate(
            runtime: runtime,
            recentLogin: recentLogin,
            throttle: throttle,
            changeLog: changeLog,
            mint: mint,
            credentials: credentials,
            notices: notices
        )
    }

    var finder: AccountFinder { AccountFinder(runtime: runtime, sealer: sealer) }

    var signing: ServiceAccountSigning {
        ServiceAccountSigning(database: database, environment: environment, sealer: sealer, serviceAccounts: serviceAccounts)
    }

    var send: SendOOBCode {
        SendOOBCode(
            runtime: runtime,
            idTokens: idTokens,
            throttle: throttle,
            dailyCounts: dailyCounts,
            mail: mail,
            recaptcha: recaptcha,
            continueURLs: continueURLs,
            functions: functions
        )
    }

    var reset: PasswordReset {
        PasswordReset(
            runtime: runtime,
            throttle: throttle,
            changeLog: changeLog,
            functions: functions,
            hasher: hasher,
            notices: notices
        )
    }

    var pendingCredentials: PendingCredentials {
        PendingCredentials(environment: environment, sealer: sealer, lifetime: .seconds(settings.limits.pendingTokenSeconds))
    }

    var temporaryProofs: TemporaryProofs {
        TemporaryProofs(runtime: runtime, sealer: sealer, lifetimeSeconds: settings.limits.temporaryProofSeconds)
    }

    // The emulator's relying party is always localhost.
    private var relyingParty: @Sendable () -> RelyingParty {
        if let id = mode.relyingPartyOfEveryPasskey { return { RelyingParty(id: id, origins: []) } }
        return { [passkeys = settings.passkeys, publicURL] in
            let url = WebURL(publicURL())
            // Without a public URL no origin is ours.
            let id = url.map(passkeys.rpID) ?? ""
            return RelyingParty(id: id, origins: url.map(passkeys.origins) ?? [])
        }
    }
}

extension SAMLTools {
    fileprivate init(_ outside: UseCases.Outside) {
        let keys = outside.serviceKeys
        self.init(
            verifier: outside.samlVerification,
            storedKeys: { try await keys.stored().map(SAMLTools.ServiceKey.init) },
            signingKey: { try await keys.keys().first.map(SAMLTools.ServiceKey.init) }
        )
    }
}

extension SAMLTools.ServiceKey {
    fileprivate init(_ key: ServiceProviderKeys.Key) {
        self.init(certificate: key.certificate, privateKey: key.privateKey)
    }
}
