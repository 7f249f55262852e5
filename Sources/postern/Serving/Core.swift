import Accounts
import Federation
import Foundation
import HTTPAPI
import Logging
import Project
import Storage
import Tokens

/// Everything behind the listeners, put together from the settings. The one place where the parts meet.
struct Core: Sendable {
    let settings: Settings
    let environment: ServerEnvironment
    let logger: Logger
    let http: LiveHTTP
    let database: any Database
    let keyRing: KeyRing
    let services: Services
    let expiredRows: ExpiredRows
    /// The `iss` of the project's ID tokens.
    let issuer: String

    private static let endedSessionsStay = Duration.seconds(86_400 * 30)

    /// Opens the store, loads the keys, applies the project file and wires the use cases.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - variables: The process's environment, for the project file's `{env: NAME}`.
    ///   - logger: Where to log.
    ///   - makeEnvironment: Clock and randomness, around the given way out.
    /// - Throws: Whatever keeps the server from starting.
    init(
        _ settings: Settings,
        variables: [String: String],
        logger: Logger,
        makeEnvironment: (OutboundHTTP) -> ServerEnvironment = ServerEnvironment.live
    ) async throws {
        let declaration = try settings.project.file.map {
            try ProjectDeclaration(ProjectFile.load(path: $0, environment: variables))
        }
        let http = try LiveHTTP(settings.outbound)
        let environment = makeEnvironment(http.outbound)
        let database = try await Store.open(settings.database, at: environment.now(), logger: logger).database
        let sealer = TokenSealer(masterKey: try Self.masterKey(settings, environment), environment: environment)
        let keyRing = Self.keyRing(settings, database, sealer, environment)
        try await keyRing.load()
        try await declaration?.apply(
            to: settings.project.id,
            database: database,
            sealer: sealer,
            at: environment.now(),
            logger: logger
        )
        self.settings = settings
        self.environment = environment
        self.logger = logger
        self.http = http
        self.database = database
        self.keyRing = keyRing
        let issuer = Self.tokenIssuer(settings, keyRing, environment)
        self.issuer = issuer.issuer(projectID: settings.project.id)
        expiredRows = ExpiredRows(
            database: database,
            environment: environment,
            retention: .init(endedSessions: Self.endedSessionsStay, audit: .seconds(86_400 * settings.limits.auditDays))
        )
        services = Self.services(settings, database, keyRing, issuer, sealer, environment, logger)
    }

    /// Closes the store and every outgoing connection.
    func shutdown() async {
        await http.shutdown()
        do {
            try await database.close()
        } catch {
            logger.error("store not closed", metadata: ["error": "\(error)"])
        }
    }

    /// The master key of these settings.
    static func masterKey(_ settings: Settings, _ environment: ServerEnvironment) throws -> MasterKey {
        try MasterKeySource.load(
            settings.secrets.masterKey,
            database: settings.database.location,
            random: environment.random
        )
    }

    /// The key ring of these settings, still empty.
    static func keyRing(
        _ settings: Settings,
        _ database: any Database,
        _ sealer: TokenSealer,
        _ environment: ServerEnvironment
    ) -> KeyRing {
        KeyRing(
            database: database,
            sealer: sealer,
            environment: environment,
            purpose: settings.mode == .development ? .developmentIDToken : .idToken,
            tokenLifetime: .seconds(settings.tokens.idTokenSeconds)
        )
    }

    private static func tokenIssuer(
        _ settings: Settings,
        _ keyRing: KeyRing,
        _ environment: ServerEnvironment
    ) -> TokenIssuer {
        TokenIssuer(
            keyRing: keyRing,
            environment: environment,
            form: settings.mode == .development && !settings.development.signTokens ? .unsigned : .signed,
            issuer: settings.tokens.configuredIssuer,
            lifetimeSeconds: Int64(settings.tokens.idTokenSeconds),
            mode: settings.mode
        )
    }

    private static func services(
        _ settings: Settings,
        _ database: any Database,
        _ keyRing: KeyRing,
        _ issuer: TokenIssuer,
        _ sealer: TokenSealer,
        _ environment: ServerEnvironment,
        _ logger: Logger
    ) -> Services {
        let mode = settings.mode
        let limits = settings.limits
        let idTokens = IDTokenRules(issuer: issuer)
        let mint = SessionMint(issuer: issuer, environment: environment, sessionsPerUser: limits.sessionsPerUser)
        let configurations = ConfigurationStore(database: database, environment: environment, mode: mode)
        let pipeline = SignInPipeline(database: database, environment: environment, mint: mint)
        let refusals = RefusalAudit(database: database, environment: environment, logger: logger)
        let keySets = KeySetCache(environment: environment, logger: logger)
        let providers = Providers(
            verifier: OIDCVerifier(keySets: keySets, environment: environment),
            endpoints: Providers.Endpoints(
                apple: settings.endpoints.apple.overridden,
                google: settings.endpoints.google.overridden
            )
        )
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
            anonymousSignUp: AnonymousSignUp(configurations: configurations, pipeline: pipeline),
            customTokenSignIn: CustomTokenSignIn(
                configurations: configurations,
                serviceAccounts: ServiceAccountDirectory(database: database, environment: environment),
                pipeline: pipeline,
                refusals: refusals,
                environment: environment,
                mode: mode
            ),
            accountReader: AccountReader(database: database, configurations: configurations, idTokens: idTokens),
            accountUpdate: AccountUpdate(
                database: database,
                environment: environment,
                configurations: configurations,
                mint: mint
            ),
            accountDeletion: AccountDeletion(
                database: database,
                environment: environment,
                configurations: configurations,
                recentLogin: RecentLoginRule(window: .seconds(limits.recentLoginSeconds), mode: mode)
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
}

extension EndpointSettings.Endpoint {
    /// The URL when the operator set one.
    fileprivate var overridden: String? { isOverridden ? url.text : nil }
}
