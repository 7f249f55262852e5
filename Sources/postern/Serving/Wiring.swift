import Accounts
import Federation
import HTTPAPI
import Logging
import Messaging
import Passwords
import Project
import Storage
import Tokens

/// Puts the use cases together.
struct Wiring {
    let settings: Settings
    let database: any Database
    let keyRing: KeyRing
    let issuer: TokenIssuer
    let sealer: TokenSealer
    let environment: ServerEnvironment
    let logger: Logger
    let hasher: PasswordHasher
    let mailer: OOBMailer
    let messages: SMSCodeMessages
    let push: APNsClient?
    let publicURL: @Sendable () -> String

    /// Every use case that endpoints call.
    func services() -> Services {
        let mode = settings.mode
        let limits = settings.limits
        let idTokens = IDTokenRules(issuer: issuer)
        let mint = SessionMint(issuer: issuer, environment: environment, sessionsPerUser: limits.sessionsPerUser)
        let configurations = ConfigurationStore(database: database, environment: environment, mode: mode)
        let recentLogin = RecentLoginRule(window: .seconds(limits.recentLoginSeconds), mode: mode)
        let refusals = RefusalAudit(database: database, environment: environment, logger: logger)
        let throttle = Throttle(database: database, environment: environment, limits: .init(limits), mode: mode)
        let pipeline = SignInPipeline(database: database, environment: environment, mint: mint)
        let keySets = KeySetCache(environment: environment, logger: logger)
        let providers = Providers(
            verifier: OIDCVerifier(keySets: keySets, environment: environment),
            endpoints: Providers.Endpoints(
                apple: settings.endpoints.apple.overridden,
                google: settings.endpoints.google.overridden
            )
        )
        let recaptcha = recaptchaGate()
        let codes = OOBCodeMint(
            environment: environment,
            sealer: sealer,
            lifetimes: .init(
                passwordReset: limits.oob.passwordResetSeconds,
                emailSignIn: limits.oob.emailSigninSeconds,
                verifyEmail: limits.oob.verifyEmailSeconds,
                changeEmail: limits.oob.changeEmailSeconds,
                recoverEmail: limits.oob.recoverEmailSeconds
            ),
            mode: mode
        )
        let links = OOBLink(publicURL: publicURL, mode: mode, apiKey: apiKey)
        return Services(
            database: database,
            keyRing: keyRing,
            configurations: configurations,
            idTokens: idTokens,
            federatedSignIn: FederatedSignIn(
                configurations: configurations,
                verifier: CredentialVerifier(providers: providers, mode: mode, logger: logger),
                pending: PendingCredentials(
                    sealer: sealer,
                    environment: environment,
                    lifetime: .seconds(limits.pendingTokenSeconds)
                ),
                idTokens: idTokens,
                pipeline: pipeline,
                refusals: refusals,
                mode: mode
            ),
            anonymousSignUp: AnonymousSignUp(
                configurations: configurations,
                pipeline: pipeline,
                throttle: throttle
            ),
            customTokenSignIn: CustomTokenSignIn(
                configurations: configurations,
                serviceAccounts: ServiceAccountDirectory(database: database, environment: environment),
                pipeline: pipeline,
                refusals: refusals,
                environment: environment,
                mode: mode
            ),
            passwordSignIn: PasswordSignIn(
                database: database,
                configurations: configurations,
                hasher: hasher,
                throttle: throttle,
                pipeline: pipeline,
                recaptcha: recaptcha
            ),
            passwordSignUp: PasswordSignUp(
                database: database,
                configurations: configurations,
                hasher: hasher,
                throttle: throttle,
                idTokens: idTokens,
                pipeline: pipeline,
                recaptcha: recaptcha
            ),
            emailLinkSignIn: EmailLinkSignIn(
                database: database,
                configurations: configurations,
                idTokens: idTokens,
                pipeline: pipeline
            ),
            phone: phone(configurations, idTokens, pipeline, recaptcha),
            signInMethods: SignInMethods(database: database, configurations: configurations, environment: environment),
            passwordReset: PasswordReset(
                database: database,
                configurations: configurations,
                environment: environment,
                hasher: hasher
            ),
            codeApplication: CodeApplication(database: database, environment: environment, mode: mode),
            sendOOBCode: SendOOBCode(
                database: database,
                configurations: configurations,
                environment: environment,
                idTokens: idTokens,
                recentLogin: recentLogin,
                throttle: throttle,
                mint: codes,
                links: links,
                mailer: mailer,
                continueURLs: ContinueURLRule(mode: mode, publicURL: publicURL),
                recaptcha: recaptcha,
                mode: mode
            ),
            accountReader: AccountReader(database: database, configurations: configurations, idTokens: idTokens),
            accountUpdate: AccountUpdate(
                database: database,
                environment: environment,
                configurations: configurations,
                mint: mint,
                credentials: CredentialChange(
                    database: database,
                    environment: environment,
                    hasher: hasher,
                    recentLogin: recentLogin,
                    codes: codes,
                    links: links,
                    mailer: mailer
                )
            ),
            accountDeletion: AccountDeletion(
                database: database,
                environment: environment,
                configurations: configurations,
                recentLogin: recentLogin
            ),
            tokenRefresh: TokenRefresh(
                database: database,
                environment: environment,
                configurations: configurations,
                mint: mint,
                mode: mode,
                idleLimit: limits.sessionIdleDays == 0 ? nil : .seconds(86_400 * limits.sessionIdleDays)
            )
        )
    }

    // Links in e-mails name a key, as Firebase's do; the emulator's is always the same.
    private var apiKey: String {
        switch settings.project.apiKeys {
        case .any: "fake-api-key"
        case .only(let keys): keys.min() ?? ""
        }
    }
}

extension EndpointSettings.Endpoint {
    /// The URL when the operator set one.
    fileprivate var overridden: String? { isOverridden ? url.text : nil }
}

extension Throttle.Limits {
    /// The settings' figures.
    fileprivate init(_ settings: LimitSettings) {
        self.init(
            signUpsPerAddressPerHour: settings.signUp.perAddressPerHour,
            passwordFailuresPerAccount: settings.password.failuresPerAccount,
            passwordFailuresPerAddressPerHour: settings.password.failuresPerAddressPerHour,
            mailsPerRecipientPerHour: settings.email.perRecipientPerHour,
            mailsPerAddressPerHour: settings.email.perAddressPerHour
        )
    }
}
