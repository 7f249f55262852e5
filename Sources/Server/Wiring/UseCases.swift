import Accounts
import Federation
import HTTPAPI
import Logging
import Passwords
import Project
import Settings
import Storage
import Tokens

/// Builds the use cases; what several of them share is made once.
struct UseCases {
    let wiring: Wiring
    let idTokens: IDTokenRules
    let mint: SessionMint
    let configurations: ConfigurationStore
    let recentLogin: RecentLoginRule
    let refusals: RefusalAudit
    let throttle: Throttle
    let pendingFactors: PendingSecondFactors
    let functions: BlockingFunctionCaller
    let pipeline: SignInPipeline
    let keySets: KeySetCache
    let providers: Providers
    let recaptcha: RecaptchaGate
    let codes: OOBCodeMint
    let serviceAccounts: ServiceAccountDirectory
    let accessTokens: ServiceAccountAccessTokens
    let links: OOBLink
    let continueURLs: ContinueURLRule
    let passwordReset: PasswordReset
    let sendOOBCode: SendOOBCode
    let clients: ProviderClients
    let flows: AuthorizationFlows

    init(_ wiring: Wiring) {
        self.wiring = wiring
        let (settings, limits, mode) = (wiring.settings, wiring.settings.limits, wiring.settings.mode.rules)
        let (database, environment, sealer, logger) = (wiring.database, wiring.environment, wiring.sealer, wiring.logger)
        let (issuer, hasher, mailer, publicURL) = (wiring.issuer, wiring.hasher, wiring.mailer, wiring.publicURL)
        let events = wiring.events
        idTokens = IDTokenRules(issuer: issuer)
        mint = SessionMint(
            issuer: issuer,
            environment: environment,
            sessionsPerUser: limits.sessionsPerUser,
            mode: mode
        )
        configurations = ConfigurationStore(database: database, environment: environment, sealer: sealer, mode: mode)
        recentLogin = RecentLoginRule(
            window: .seconds(limits.recentLoginSeconds),
            linkWindow: limits.linkRecentLoginSeconds == 0 ? nil : .seconds(limits.linkRecentLoginSeconds),
            mode: mode
        )
        refusals = RefusalAudit(database: database, environment: environment, logger: logger)
        throttle = Throttle(database: database, environment: environment, limits: .init(limits), mode: mode)
        pendingFactors = PendingSecondFactors(
            sealer: sealer,
            environment: environment,
            lifetime: .seconds(limits.mfaPendingSeconds),
            mode: mode
        )
        functions = BlockingFunctionCaller(environment: environment, issuer: issuer, mode: mode)
        keySets = KeySetCache(environment: environment, logger: logger)
        providers = Providers(
            ProviderTools(
                environment: environment,
                endpoints: settings.endpoints,
                keySets: keySets,
                gameCenterTrust: wiring.gameCenterTrust
            )
        )
        recaptcha = Self.recaptchaGate(wiring)
        codes = OOBCodeMint(
            environment: environment,
            sealer: sealer,
            lifetimes: .init(
                passwordReset: limits.oob.passwordResetSeconds,
                emailSignIn: limits.oob.emailSigninSeconds,
                verifyEmail: limits.oob.verifyEmailSeconds,
                changeEmail: limits.oob.changeEmailSeconds,
                recoverEmail: limits.oob.recoverEmailSeconds
            ),
            mode: mode,
            logger: logger
        )
        serviceAccounts = ServiceAccountDirectory(database: database, environment: environment)
        accessTokens = ServiceAccountAccessTokens(sealer: sealer, environment: environment)
        links = OOBLink(publicURL: publicURL, mode: mode, apiKey: wiring.apiKey)
        continueURLs = ContinueURLRule(mode: mode, publicURL: publicURL)
        pipeline = SignInPipeline(
            database: database,
            environment: environment,
            mint: mint,
            pendingFactors: pendingFactors,
            functions: functions,
            notices: OOBNotices(codes: codes, links: links, mailer: mailer, mode: mode, throttle: throttle),
            events: events
        )
        passwordReset = PasswordReset(
            database: database,
            configurations: configurations,
            environment: environment,
            hasher: hasher,
            notices: OOBNotices(codes: codes, links: links, mailer: mailer, mode: mode, throttle: throttle),
            events: events,
            mode: mode
        )
        sendOOBCode = SendOOBCode(
            database: database,
            configurations: configurations,
            environment: environment,
            idTokens: idTokens,
            recentLogin: recentLogin,
            throttle: throttle,
            mint: codes,
            links: links,
            mailer: mailer,
            continueURLs: continueURLs,
            recaptcha: recaptcha,
            functions: functions,
            mode: mode
        )
        clients = ProviderClients(
            database: database,
            configurations: configurations,
            providers: providers,
            sealer: sealer
        )
        flows = AuthorizationFlows(
            database: database,
            environment: environment,
            configurations: configurations,
            clients: clients,
            sealer: sealer,
            continueURLs: continueURLs,
            lifetime: .seconds(limits.authorizationSeconds)
        )
    }

    var settings: Settings { wiring.settings }

    var limits: LimitSettings { wiring.settings.limits }

    var mode: ModeRules { wiring.settings.mode.rules }

    var database: any Database { wiring.database }

    var environment: ServerEnvironment { wiring.environment }

    var sealer: TokenSealer { wiring.sealer }

    var logger: Logger { wiring.logger }

    var hasher: PasswordHasher { wiring.hasher }

    var issuer: TokenIssuer { wiring.issuer }

    var mailer: OOBMailer { wiring.mailer }

    var notices: OOBNotices { OOBNotices(codes: codes, links: links, mailer: mailer, mode: mode, throttle: throttle) }

    var events: EventOutbox { wiring.events }

    var apiKey: String { wiring.apiKey }

    var publicURL: @Sendable () -> String { wiring.publicURL }
}
