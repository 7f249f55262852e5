import Accounts
import Federation
import Foundation
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
        let configurations = ConfigurationStore(database: database, environment: environment, sealer: sealer, mode: mode)
        let recentLogin = RecentLoginRule(window: .seconds(limits.recentLoginSeconds), mode: mode)
        let refusals = RefusalAudit(database: database, environment: environment, logger: logger)
        let throttle = Throttle(database: database, environment: environment, limits: .init(limits), mode: mode)
        let pendingFactors = PendingSecondFactors(
            sealer: sealer,
            environment: environment,
            lifetime: .seconds(limits.mfaPendingSeconds)
        )
        let pipeline = SignInPipeline(
            database: database,
            environment: environment,
            mint: mint,
            pendingFactors: pendingFactors
        )
        let keySets = KeySetCache(environment: environment, logger: logger)
        let gameCenter = GameCenterProvider(
            environment: environment,
            endpoint: settings.endpoints.gameCenter.overridden
        )
        let providers = Providers(
            verifier: OIDCVerifier(keySets: keySets, environment: environment),
            gameCenter: gameCenter,
            environment: environment,
            endpoints: Providers.Endpoints(settings.endpoints)
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
        let serviceAccounts = ServiceAccountDirectory(database: database, environment: environment)
        let accessTokens = ServiceAccountAccessTokens(sealer: sealer, environment: environment)
        let links = OOBLink(publicURL: publicURL, mode: mode, apiKey: apiKey)
        let continueURLs = ContinueURLRule(mode: mode, publicURL: publicURL)
        let passwordReset = PasswordReset(
            database: database,
            configurations: configurations,
            environment: environment,
            hasher: hasher
        )
        let codeApplication = CodeApplication(database: database, environment: environment, mode: mode)
        let sendOOBCode = SendOOBCode(
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
            mode: mode
        )
        let authorization = AuthorizationProviders(environment: environment, endpoints: .init(settings.endpoints))
        let clients = ProviderClients(
            database: database,
            configurations: configurations,
            providers: authorization,
            sealer: sealer
        )
        let flows = AuthorizationFlows(
            database: database,
            environment: environment,
            configurations: configurations,
            clients: clients,
            sealer: sealer,
            continueURLs: continueURLs,
            lifetime: .seconds(limits.authorizationSeconds)
        )
        let phone = phone(configurations, idTokens, pipeline, recaptcha)
        let secrets = TOTPSecrets(sealer: sealer, environment: environment)
        let renewal = SessionRenewal(mint: mint)
        let challenges = PasskeyChallenges(sealer: sealer, environment: environment)
        let party = relyingParty
        return Services(
            database: database,
            keyRing: keyRing,
            configurations: configurations,
            idTokens: idTokens,
            federatedSignIn: FederatedSignIn(
                configurations: configurations,
                verifier: CredentialVerifier(providers: providers, mode: mode, logger: logger),
                flows: flows,
                pending: PendingCredentials(
                    sealer: sealer,
                    environment: environment,
                    lifetime: .seconds(limits.pendingTokenSeconds)
                ),
                idTokens: idTokens,
                recentLogin: recentLogin,
                pipeline: pipeline,
                refusals: refusals,
                mode: mode
            ),
            gameCenterSignIn: GameCenterSignIn(
                configurations: configurations,
                provider: gameCenter,
                idTokens: idTokens,
                recentLogin: recentLogin,
                pipeline: pipeline,
                refusals: refusals
            ),
            anonymousSignUp: AnonymousSignUp(
                configurations: configurations,
                pipeline: pipeline,
                throttle: throttle
            ),
            customTokenSignIn: CustomTokenSignIn(
                configurations: configurations,
                serviceAccounts: serviceAccounts,
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
            phone: phone,
            signInMethods: SignInMethods(database: database, configurations: configurations, environment: environment),
            authorizationFlows: flows,
            providerClients: clients,
            browserSignIn: BrowserSignIn(
                configurations: configurations,
                environment: environment,
                flows: flows,
                verification: phone.verificationTokens,
                continueURLs: continueURLs,
                publicURL: publicURL,
                mode: mode
            ),
            appleTokenRevocation: AppleTokenRevocation(
                database: database,
                environment: environment,
                idTokens: idTokens,
                clients: clients,
                apple: authorization.apple
            ),
            passwordReset: passwordReset,
            codeApplication: codeApplication,
            sendOOBCode: sendOOBCode,
            emailActions: EmailActions(
                configurations: configurations,
                reset: passwordReset,
                application: codeApplication,
                send: sendOOBCode,
                links: links,
                continueURLs: continueURLs
            ),
            oobCodeListing: OOBCodeListing(database: database, mint: codes),
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
                    mailer: mailer,
                    mode: mode
                ),
                mode: mode
            ),
            accountDeletion: AccountDeletion(
                database: database,
                environment: environment,
                configurations: configurations,
                recentLogin: recentLogin
            ),
            secondFactorEnrollment: SecondFactorEnrollment(
                database: database,
                environment: environment,
                configurations: configurations,
                idTokens: idTokens,
                recentLogin: recentLogin,
                smsCodes: phone.codes,
                secrets: secrets,
                notice: SecondFactorNotice(codes: codes, links: links, mailer: mailer),
                renewal: renewal,
                mode: mode
            ),
            secondFactorWithdrawal: SecondFactorWithdrawal(
                database: database,
                environment: environment,
                configurations: configurations,
                idTokens: idTokens,
                recentLogin: recentLogin,
                renewal: renewal
            ),
            secondFactorSignIn: SecondFactorSignIn(
                database: database,
                configurations: configurations,
                pending: pendingFactors,
                smsCodes: phone.codes,
                secrets: secrets,
                throttle: throttle,
                pipeline: pipeline,
                refusals: refusals
            ),
            passkeyEnrollment: PasskeyEnrollment(
                database: database,
                environment: environment,
                configurations: configurations,
                idTokens: idTokens,
                recentLogin: recentLogin,
                challenges: challenges,
                party: party,
                renewal: renewal,
                mode: mode
            ),
            passkeySignIn: PasskeySignIn(
                database: database,
                configurations: configurations,
                challenges: challenges,
                party: party,
                pipeline: pipeline,
                refusals: refusals,
                mode: mode
            ),
            tokenRefresh: TokenRefresh(
                database: database,
                environment: environment,
                configurations: configurations,
                mint: mint,
                mode: mode,
                idleLimit: limits.sessionIdleDays == 0 ? nil : .seconds(86_400 * limits.sessionIdleDays)
            ),
            appleNotifications: AppleNotifications(
                database: database,
                environment: environment,
                verifier: AppleNotificationVerifier(
                    keySets: keySets,
                    environment: environment,
                    endpoint: settings.endpoints.apple.overridden
                )
            ),
            administration: ConfigurationAdministration(
                database: database,
                environment: environment,
                configurations: configurations,
                sealer: sealer,
                network: NetworkGuard(allowPrivateNetworks: settings.outbound.allowPrivateNetworks),
                mode: mode,
                facts: .init(apiKey: apiKey.isEmpty ? nil : apiKey, ownDomains: ownDomains)
            ),
            serviceAccountGrant: ServiceAccountGrant(
                database: database,
                environment: environment,
                serviceAccounts: serviceAccounts,
                accessTokens: accessTokens,
                projectID: settings.project.id
            ),
            adminCredentials: AdminCredentials(
                database: database,
                environment: environment,
                serviceAccounts: serviceAccounts,
                accessTokens: accessTokens,
                projectID: settings.project.id
            ),
            accountBrowser: AccountBrowser(database: database, configurations: configurations),
            auditTrail: AuditTrail(database: database, configurations: configurations),
            admin: adminServices(configurations, idTokens)
        )
    }

    private func adminServices(_ configurations: ConfigurationStore, _ idTokens: IDTokenRules) -> AdminServices {
        let mode = settings.mode
        return AdminServices(
            creation: AccountCreation(
                database: database,
                environment: environment,
                configurations: configurations,
                hasher: hasher,
                idTokens: idTokens,
                mode: mode
            ),
            batchDeletion: BatchDeletion(
                database: database,
                environment: environment,
                configurations: configurations
            ),
            accountImport: AccountImport(
                database: database,
                environment: environment,
                configurations: configurations,
                hasher: hasher,
                mode: mode
            ),
            listing: AccountListing(
                database: database,
                environment: environment,
                configurations: configurations
            ),
            search: AccountSearch(database: database, configurations: configurations),
            sessionCookies: SessionCookies(
                database: database,
                environment: environment,
                configurations: configurations,
                idTokens: idTokens,
                issuer: issuer
            )
        )
    }

    private var ownDomains: @Sendable () -> [String] {
        let publicURL = publicURL
        return { URLComponents(string: publicURL())?.host.map { [$0.trimmingCharacters(in: ["[", "]"]).lowercased()] } ?? [] }
    }

    // The emulator's relying party is always localhost.
    private var relyingParty: @Sendable () -> RelyingParty {
        if settings.mode == .development { return { RelyingParty(id: "localhost", origins: []) } }
        let (passkeys, publicURL) = (settings.passkeys, publicURL)
        return {
            let url = WebURL(publicURL())
            // Without a public URL no origin is ours.
            let id = url.map(passkeys.rpID) ?? ""
            return RelyingParty(id: id, origins: url.map(passkeys.origins) ?? [])
        }
    }

    private var apiKey: String { settings.project.linkKey }
}

extension ProjectSettings {
    /// The key in links and in the web configuration, which name one as Firebase's do; the emulator's is always the same.
    var linkKey: String {
        switch apiKeys {
        case .any: "fake-api-key"
        case .only(let keys): keys.min() ?? ""
        }
    }
}

extension EndpointSettings.Endpoint {
    /// The URL when the operator set one.
    fileprivate var overridden: String? { isOverridden ? url.text : nil }
}

extension Providers.Endpoints {
    /// The settings' URLs.
    fileprivate init(_ settings: EndpointSettings) {
        self.init(
            apple: settings.apple.overridden,
            google: settings.google.overridden,
            facebookDialog: settings.facebookDialog.overridden,
            facebook: settings.facebook.url.text,
            githubAPI: settings.githubAPI.url.text,
            googleTokenInfo: settings.googleTokenInfo.url.text,
            linkedin: settings.linkedin.url.text,
            microsoft: settings.microsoft.url.text,
            playGames: settings.playGames.url.text,
            twitter: settings.twitter.url.text,
            yahoo: settings.yahoo.url.text
        )
    }
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

extension AuthorizationProviders.Endpoints {
    /// The settings' addresses.
    fileprivate init(_ settings: EndpointSettings) {
        self.init(
            apple: settings.apple.url.text,
            google: settings.google.url.text,
            twitter: settings.twitter.url.text,
            facebook: settings.facebook.url.text,
            facebookDialog: settings.facebookDialog.url.text,
            github: settings.github.url.text,
            microsoft: settings.microsoft.url.text,
            yahoo: settings.yahoo.url.text,
            linkedIn: settings.linkedin.url.text
        )
    }
}
