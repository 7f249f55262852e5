import Federation
import Project
import Settings
import Tenancy
import Tokens

// The use cases, each with what it needs.
extension Wiring {
    var signIn: SignInUseCases {
        SignInUseCases(
            signUp: RequestedSignUp(
                anonymous: AnonymousSignUp(runtime: runtime, throttle: throttle, pipeline: pipeline),
                password: PasswordSignUp(
                    runtime: runtime,
                    idTokens: idTokens,
                    throttle: throttle,
                    hasher: hasher,
                    pipeline: pipeline,
                    recaptcha: recaptcha
                ),
                creation: creation
            ),
            password: PasswordSignIn(
                runtime: runtime,
                throttle: throttle,
                hasher: hasher,
                pipeline: pipeline,
                recaptcha: recaptcha
            ),
            emailLink: EmailLinkSignIn(runtime: runtime, idTokens: idTokens, pipeline: pipeline),
            customToken: CustomTokenSignIn(runtime: runtime, serviceAccounts: serviceAccounts, pipeline: pipeline),
            federated: FederatedSignIn(
                runtime: runtime,
                idTokens: idTokens,
                throttle: throttle,
                refusals: refusals,
                verifier: credentialVerifier,
                flows: flows,
                pipeline: pipeline,
                pending: pendingCredentials
            ),
            gameCenter: GameCenterSignIn(
                configurations: configurations,
                idTokens: idTokens,
                provider: providers.the(GameCenterProvider.self),
                pipeline: pipeline
            ),
            phone: PhoneSignIn(
                runtime: runtime,
                idTokens: idTokens,
                codes: smsCodes,
                pipeline: pipeline,
                proofs: temporaryProofs
            ),
            secondFactor: SecondFactorSignIn(
                runtime: runtime,
                throttle: throttle,
                smsCodes: smsCodes,
                pipeline: pipeline,
                secrets: secrets
            ),
            passkey: PasskeySignIn(runtime: runtime, challenges: challenges, pipeline: pipeline)
        )
    }

    var flowUseCases: FlowUseCases {
        FlowUseCases(
            clients: clients,
            providerTest: ProviderTest(environment: environment, clients: clients, publicURL: publicURL),
            authorization: flows,
            authURICreation: AuthURICreation(
                mode: mode,
                throttle: throttle,
                methods: SignInMethods(runtime: runtime),
                flows: flows,
                clients: clients
            ),
            browser: BrowserSignIn(
                runtime: runtime,
                throttle: throttle,
                flows: flows,
                verification: verificationTokens,
                continueURLs: continueURLs
            ),
            samlMetadata: SAMLMetadata(configurations: configurations, keys: outside.serviceKeys, publicURL: publicURL),
            appVerificationTokens: verificationTokens,
            appleTokenRevocation: AppleTokenRevocation(
                database: database,
                environment: environment,
                idTokens: idTokens,
                throttle: throttle,
                clients: clients,
                apple: AppleTokens(apple: apple, http: environment.http)
            ),
            appleNotifications: AppleNotifications(
                database: database,
                environment: environment,
                changeLog: changeLog,
                verifier: AppleNotificationVerifier(keySets: keySets, environment: environment, apple: apple)
            )
        )
    }

    var accounts: AccountUseCases {
        AccountUseCases(
            reader: AccountReader(runtime: runtime, idTokens: idTokens),
            update: update,
            requestedUpdate: RequestedUpdate(
                database: database,
                mode: mode,
                idTokens: idTokens,
                update: update,
                codes: application
            ),
            deletion: AccountDeletion(runtime: runtime, idTokens: idTokens, changeLog: changeLog),
            secondFactorEnrollment: SecondFactorEnrollment(
                runtime: runtime,
                idTokens: idTokens,
                smsCodes: smsCodes,
                notices: notices,
                renewal: renewal,
                secrets: secrets
            ),
            secondFactorWithdrawal: SecondFactorWithdrawal(
                runtime: runtime,
                idTokens: idTokens,
                notices: notices,
                renewal: renewal
            ),
            passkeyEnrollment: PasskeyEnrollment(
                runtime: runtime,
                idTokens: idTokens,
                challenges: challenges,
                notices: notices,
                renewal: renewal
            ),
            tokenRefresh: TokenRefresh(runtime: runtime, idleDays: settings.limits.sessionIdleDays, mint: mint)
        )
    }

    var codes: CodeUseCases {
        CodeUseCases(
            send: send,
            application: application,
            passwordReset: reset,
            emailActions: EmailActions(configurations: configurations, reset: reset, application: application, send: send),
            sms: smsCodes,
            smsTest: SMSTest(runtime: runtime, throttle: throttle, messages: outside.messages),
            mailTest: MailTest(runtime: runtime, throttle: throttle, mailer: outside.mailer, publicURL: publicURL),
            phoneSender: PhoneCodeSender(runtime: runtime, codes: smsCodes),
            iosVerification: IOSAppVerification(runtime: runtime, throttle: throttle, push: outside.push)
        )
    }

    var operators: OperatorUseCases {
        OperatorUseCases(
            configuration: configuration,
            serviceKeys: outside.serviceKeys,
            credentials: AdminCredentials(
                database: database,
                environment: environment,
                serviceAccounts: serviceAccounts,
                projectID: projectID,
                accessTokens: accessTokens
            ),
            serviceAccountGrant: ServiceAccountGrant(
                database: database,
                environment: environment,
                throttle: throttle,
                serviceAccounts: serviceAccounts,
                projectID: projectID,
                accessTokens: accessTokens
            ),
            serviceAccountSigning: signing,
            creation: creation,
            batchDeletion: BatchDeletion(runtime: runtime, changeLog: changeLog),
            accountImport: AccountImport(runtime: runtime, sealer: sealer, changeLog: changeLog, hasher: hasher),
            listing: AccountListing(runtime: runtime),
            search: AccountSearch(runtime: runtime),
            browser: AccountBrowser(runtime: runtime),
            finder: finder,
            auditTrail: AuditTrail(runtime: runtime),
            refusals: RefusalFinder(runtime: runtime),
            overview: OverviewReader(runtime: runtime),
            serviceState: ServiceStateReader(database: database, hasher: hasher),
            unlocking: AccountUnlocking(database: database, environment: environment),
            sessionEnding: SessionEnding(database: database, environment: environment),
            sessionCookies: SessionCookies(runtime: runtime, idTokens: idTokens),
            impersonation: Impersonation(
                runtime: runtime,
                serviceAccounts: serviceAccounts,
                signing: signing,
                isAllowed: settings.console.allowsImpersonation,
                forbiddenClaim: settings.console.impersonationForbiddenClaim
            ),
            bulkChange: BulkUserChange(environment: environment, sealer: sealer, finder: finder),
            programs: ProgramCredentials(database: database, environment: environment, sealer: sealer, publicURL: publicURL),
            deliveries: EventDeliveries(database: database, environment: environment, changeLog: changeLog),
            hookTest: HookTest(
                runtime: runtime,
                functions: functions,
                events: settings.webhooks.receiver,
                audit: settings.audit.webhook
            ),
            policyEffect: PolicyEffect(runtime: runtime)
        )
    }

    var emulator: EmulatorUseCases {
        EmulatorUseCases(
            accountReset: AccountReset(runtime: runtime),
            oobCodeListing: OOBCodeListing(runtime: runtime, mint: codeMint)
        )
    }

    var console: ConsoleUseCases {
        ConsoleUseCases(
            runtime,
            settings,
            changeLog: changeLog,
            throttle: throttle,
            audit: refusals,
            hasher: hasher,
            mailer: outside.mailer,
            url: outside.consoleURL
        )
    }

    private var apple: AppleProvider { providers.the(AppleProvider.self) }

    private var credentialVerifier: CredentialVerifier {
        CredentialVerifier(
            providers: providers,
            mode: mode,
            verifiesSigned: settings.development.verifyCredentials,
            logger: logger
        )
    }

    private var configuration: ConfigurationAdministration {
        let (apiKey, publicURL) = (settings.project.linkKey, publicURL)
        return ConfigurationAdministration(
            configurations: configurations,
            network: NetworkGuard(allowPrivateNetworks: settings.outbound.allowPrivateNetworks),
            facts: .init(
                apiKey: apiKey.isEmpty ? nil : apiKey,
                hashConfig: [
                    "algorithm": "ARGON2", "rounds": .integer(Int64(settings.passwords.argon2Iterations)),
                    "memoryCost": .integer(Int64(settings.passwords.argon2MemoryKiB)),
                ],
                ownDomains: { WebAddress(publicURL()).map { [$0.host.text] } ?? [] }
            ),
            saml: SAMLAdministration(
                keys: outside.serviceKeys,
                metadata: metadata,
                callback: { publicURL() + HandlerDelivery.path }
            ),
            logger: logger
        )
    }
}
