import Accounts
import Federation
import Foundation
import HTTPAPI
import Logging
import Passwords
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
    let mail: Mail
    let texting: Texting
    let webhooks: Webhooks
    let hasher: PasswordHasher
    let metrics: MetricsCollector
    /// The port that the public listener was bound to.
    let boundPort: BoundPort
    /// The `iss` of the project's ID tokens.
    let issuer: String

    private static let endedSessionsStay = Duration.seconds(86_400 * 30)
    private static let expiredCodesStay = Duration.seconds(86_400 * 30)

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
        let registry = MetricsRegistry()
        var environment = makeEnvironment(http.outbound)
        if settings.metrics.enabled { environment.metrics = registry }
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
            retention: .init(
                endedSessions: Self.endedSessionsStay,
                audit: .seconds(86_400 * settings.limits.auditDays),
                expiredCodes: Self.expiredCodesStay
            )
        )
        let boundPort = BoundPort(settings.server.port)
        let publicURL: @Sendable () -> String = { settings.server.publicURL(boundTo: boundPort.port).text }
        let mail = try Mail(
            settings,
            database: database,
            sealer: sealer,
            environment: environment,
            publicURL: publicURL,
            logger: logger
        )
        let texting = Texting(
            settings,
            database: database,
            sealer: sealer,
            environment: environment,
            publicURL: publicURL,
            logger: logger
        )
        let webhooks = Webhooks(settings.webhooks, database: database, environment: environment, logger: logger)
        let hasher = Self.hasher(settings.passwords, environment)
        self.webhooks = webhooks
        self.boundPort = boundPort
        self.mail = mail
        self.texting = texting
        self.hasher = hasher
        metrics = MetricsCollector(registry: registry, database: database, hasher: hasher, logger: logger)
        services = Wiring(
            settings: settings,
            database: database,
            keyRing: keyRing,
            issuer: issuer,
            sealer: sealer,
            environment: environment,
            logger: logger,
            hasher: hasher,
            mailer: mail.mailer,
            messages: texting.messages,
            push: try Push.client(settings.apns, environment),
            gameCenterTrust: try .init(settings.gameCenter),
            events: webhooks.events,
            publicURL: publicURL
        ).services()
    }

    /// Closes the store and every outgoing connection.
    func shutdown() async {
        await hasher.close()
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

    /// What mints tokens by these settings.
    static func tokenIssuer(
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

    /// What hashes passwords by these settings.
    static func hasher(_ settings: PasswordSettings, _ environment: ServerEnvironment) -> PasswordHasher {
        PasswordHasher(
            defaultAlgorithm: Argon2Parameters(
                memoryKiB: settings.argon2MemoryKiB,
                iterations: settings.argon2Iterations,
                parallelism: settings.argon2Parallelism
            ) ?? .owasp,
            workers: settings.workers,
            queueLimit: settings.queueLimit,
            environment: environment
        )
    }
}
