import Accounts
import Federation
import Foundation
import HTTPAPI
import Logging
import NIOPosix
import Passwords
import Project
import Settings
import Storage
import Tenancy
import Tokens

/// Everything behind the listeners, put together from the settings. The one place where the parts meet.
struct Core: Sendable {
    let settings: Settings
    private let outside: CoreEnvironment
    let database: any Database
    let keys: StoreKeys
    let assembly: Assembly
    let expiredRows: ExpiredRows
    let auditSequencer: AuditSequencer
    let auditVerification: AuditVerification
    /// What forwards the audit trail.
    let auditForwardings: [AuditForwarding]
    let metrics: MetricsCollector
    /// Reads the project file anew; `nil` when the settings name none.
    let projectFile: @Sendable () async throws -> ProjectDeclaration?
    /// What developers move and look at; `nil` in production.
    let developmentTools: DevelopmentTools?
    /// How long `/readyz` waits for the store. A monitor gives up soon.
    let readinessPatience: Duration
    /// What sends telemetry; `nil` when none is sent.
    let telemetry: TelemetryService?
    /// Where the listeners are reached.
    let addresses: ServerAddresses

    var environment: ServerEnvironment { outside.environment }
    var clock: ClockGuard { outside.clock }
    var logger: Logger { outside.logger }
    var http: LiveHTTP { outside.http }
    var keyRing: KeyRing { keys.ring }
    /// The certificate of the public listener; `nil` without TLS.
    var certificate: ServedCertificate? { outside.certificate }

    /// Every use case that endpoints call.
    package var useCases: UseCases { assembly.useCases }

    /// Where browsers reach the console.
    var consoleURL: @Sendable () -> String { { [addresses] in addresses.consoleURL().text } }

    /// The `iss` of the project's ID tokens.
    var issuer: String { assembly.issuer.issuer(projectID: settings.project.id) }

    /// Opens the store, loads the keys, applies the project file and wires the use cases.
    ///
    /// - Parameters:
    ///   - variables: The process's environment, for the project file's `{env: NAME}`.
    ///   - beforeStore: Called with the certificate and the log before the store is opened, so that what keeps a server from
    ///     starting does so before anything is written.
    init(
        _ settings: Settings,
        variables: [String: String],
        patience: Duration? = nil,
        logger: Logger,
        makeEnvironment: (OutboundHTTP) -> ServerEnvironment = ServerEnvironment.live,
        beforeStore: (ServedCertificate?, Logger) async throws -> Void = { _, _ in }
    ) async throws {
        let declaration = try Self.declaration(settings, variables, logger)
        let outside = try CoreEnvironment(settings, logger: logger, make: makeEnvironment)
        let (environment, logger) = (outside.environment, outside.logger)
        try await beforeStore(outside.certificate, logger)
        let store = try await Store.connect(
            settings.database,
            pace: patience.map { .patient($0) } ?? .calls,
            mode: settings.mode,
            logger: logger,
            metrics: environment.metrics
        )
        let database: any Database = environment.tracing == nil ? store.database : TracedDatabase(store.database)
        let keys = try StoreKeys(settings, of: database, environment: environment)
        try await keys.ring.checkOpens()
        projectFile = { [file = settings.project.file] in
            // Files are read on threads that may wait.
            guard let file else { return nil }
            return try await NIOThreadPool.singleton.runIfActive { try DeclaredProject.read(file, variables: variables) }
        }
        self.settings = settings
        self.outside = outside
        self.database = database
        self.keys = keys
        addresses = ServerAddresses(settings)
        let retention = ExpiredRows.Retention(settings.limits, signer: keys.auditSigner)
        expiredRows = ExpiredRows(database: database, environment: environment, retention: retention)
        auditForwardings = try AuditReceivers.all(settings.audit, database: database, environment: environment)
        auditVerification = AuditVerification(database: database, signer: keys.auditSigner)
        auditSequencer = AuditSequencer(database: database, environment: environment, signer: keys.auditSigner)
        assembly = try Assembly(
            settings,
            database: database,
            keys: keys,
            environment: environment,
            addresses: addresses,
            mailPatience: patience
        )
        developmentTools = outside.movable.map { [assembly] in DevelopmentTools(settings, clock: $0, useCases: assembly.useCases)
        }
        readinessPatience = patience ?? .milliseconds(1500)
        metrics = Self.metrics(settings, outside, database, keys, assembly.hasher)
        telemetry = outside.telemetry?.service(metrics: metrics)
        try await prepare(store, declaration)
    }

    /// The project file's content; `nil` when the settings name none.
    private static func declaration(
        _ settings: Settings,
        _ variables: [String: String],
        _ logger: Logger
    ) throws -> ProjectDeclaration? {
        let declaration = try settings.project.file.map { try DeclaredProject.read($0, variables: variables) }
        try NamedFiles.check(settings)
        let network = NetworkGuard(allowPrivateNetworks: settings.outbound.allowPrivateNetworks)
        for value in declaration?.unusableValues(network: network, mode: settings.mode.rules) ?? [] {
            logger.warning("the project file has a value that no sign-in can use", metadata: ["value": "\(value)"])
        }
        return declaration
    }

    private static func metrics(
        _ settings: Settings,
        _ outside: CoreEnvironment,
        _ database: any Database,
        _ keys: StoreKeys,
        _ hasher: PasswordHasher
    ) -> MetricsCollector {
        MetricsCollector(
            registry: outside.registry,
            database: database,
            hasher: hasher,
            keyRing: keys.ring,
            clock: outside.clock,
            certificates: SAMLCertificateWatch(database: database, keys: keys.serviceKeys),
            keyRotationDays: settings.tokens.keyRotationDays,
            logger: outside.logger
        )
    }

    /// Makes the store ready. Everything that can be found wrong was found before.
    private func prepare(_ store: Store.Opened, _ declaration: ProjectDeclaration?) async throws {
        try await store.migrate(at: environment.now(), logger: logger)
        try await clock.start(database)
        try await keyRing.load()
        try await declaration?.apply(
            to: settings.project.id,
            database: database,
            sealer: keys.sealer,
            at: environment.now(),
            logger: logger
        )
    }

    /// Waits for what still goes on, and closes the store and every outgoing connection.
    func shutdown() async {
        await environment.tasks.end()
        await assembly.close()
        await outside.http.shutdown()
        do {
            try await database.close()
        } catch {
            logger.error("store not closed", metadata: ["error": "\(error.plainText)"])
        }
    }
}

extension Core: CustomStringConvertible, CustomReflectable {
    /// Nothing of what is inside, which holds secrets.
    var description: String { "Core" }

    /// No children, so that nothing around it shows them either.
    var customMirror: Mirror { Mirror(self, children: []) }
}
