import Accounts
import Federation
import HTTPAPI
import Passwords
import Project

// Ways in.
extension UseCases {
    /// `accounts:signInWithIdp`.
    var federatedSignIn: FederatedSignIn {
        FederatedSignIn(
            configurations: configurations,
            verifier: CredentialVerifier(
                providers: providers,
                mode: mode,
                verifiesSigned: settings.development.verifyCredentials,
                logger: logger
            ),
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
        )
    }

    /// `accounts:signInWithGameCenter`.
    var gameCenterSignIn: GameCenterSignIn {
        GameCenterSignIn(
            configurations: configurations,
            provider: providers.the(GameCenterProvider.self),
            idTokens: idTokens,
            recentLogin: recentLogin,
            pipeline: pipeline,
            refusals: refusals
        )
    }

    /// `accounts:signUp`.
    var requestedSignUp: RequestedSignUp {
        RequestedSignUp(anonymous: anonymousSignUp, password: passwordSignUp, creation: admin.creation)
    }

    /// `accounts:signUp` without credentials.
    var anonymousSignUp: AnonymousSignUp {
        AnonymousSignUp(
            configurations: configurations,
            pipeline: pipeline,
            throttle: throttle,
            environment: environment,
            mode: mode
        )
    }

    /// `accounts:signInWithCustomToken`.
    var customTokenSignIn: CustomTokenSignIn {
        CustomTokenSignIn(
            configurations: configurations,
            serviceAccounts: serviceAccounts,
            pipeline: pipeline,
            refusals: refusals,
            environment: environment,
            mode: mode
        )
    }

    /// `accounts:signInWithPassword`.
    var passwordSignIn: PasswordSignIn {
        PasswordSignIn(
            database: database,
            configurations: configurations,
            hasher: hasher,
            throttle: throttle,
            pipeline: pipeline,
            recaptcha: recaptcha,
            mode: mode
        )
    }

    /// `accounts:signUp` with a password.
    var passwordSignUp: PasswordSignUp {
        PasswordSignUp(
            database: database,
            configurations: configurations,
            hasher: hasher,
            throttle: throttle,
            idTokens: idTokens,
            pipeline: pipeline,
            recaptcha: recaptcha,
            recentLogin: recentLogin,
            environment: environment,
            mode: mode
        )
    }

    /// `accounts:signInWithEmailLink`.
    var emailLinkSignIn: EmailLinkSignIn {
        EmailLinkSignIn(
            database: database,
            configurations: configurations,
            idTokens: idTokens,
            recentLogin: recentLogin,
            pipeline: pipeline,
            throttle: throttle,
            mode: mode
        )
    }

    /// `accounts:createAuthUri`.
    var authURICreation: AuthURICreation {
        AuthURICreation(
            methods: SignInMethods(database: database, configurations: configurations, environment: environment, mode: mode),
            flows: flows,
            clients: clients,
            throttle: throttle,
            mode: mode
        )
    }

    /// The web handler.
    var browserSignIn: BrowserSignIn {
        BrowserSignIn(
            configurations: configurations,
            environment: environment,
            flows: flows,
            verification: phone.verificationTokens,
            continueURLs: continueURLs,
            throttle: throttle,
            publicURL: publicURL,
            mode: mode
        )
    }

    /// `accounts:revokeToken`.
    var appleTokenRevocation: AppleTokenRevocation {
        AppleTokenRevocation(
            database: database,
            environment: environment,
            idTokens: idTokens,
            clients: clients,
            apple: AppleTokens(apple: providers.the(AppleProvider.self), http: environment.http)
        )
    }

    /// What Apple tells.
    var appleNotifications: AppleNotifications {
        AppleNotifications(
            database: database,
            environment: environment,
            verifier: AppleNotificationVerifier(
                keySets: keySets,
                environment: environment,
                apple: providers.the(AppleProvider.self)
            ),
            events: events
        )
    }
}
