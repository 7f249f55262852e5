import Accounts
import Console
import HTTPAPI
import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import HummingbirdTLS
import Logging
import NIOCertificateReloading
import NIOCore
import NIOSSL
import Project
import ServiceLifecycle
import Settings

/// The listeners: Hummingbird applications over the API.
struct Listener {
    let core: Core
    /// Google's script for the frame in apps' pages. Tests have another.
    var gapiScript = "https://apis.google.com/js/api.js"
    // Shared by both listeners, so that limits of the console's work count for both together.
    private let consoleTools: ConsoleTools?

    private static let backlog = 1024
    private static let idleSeconds: Int64 = 75
    private static let requestPatience = TimeAmount.seconds(60)
    private static let readerPatience = TimeAmount.seconds(60)
    // The usual limits of other servers. An incomplete head stays in memory.
    private static let maximumHeadBytes = 32 * 1024
    private static let maximumHeadFields = 200

    /// - Parameter core: What is behind the listeners.
    init(core: Core) {
        self.core = core
        consoleTools = Self.consoleTools(core)
    }

    /// The public listener, with TLS when the settings say so.
    ///
    /// - Parameter onRunning: Told the port once it is bound.
    /// - Returns: The listener.
    /// - Throws: When it cannot be made.
    func main(onRunning: @escaping @Sendable (Int) -> Void) throws -> any Service {
        let server = core.settings.server
        return try application(
            at: Place(host: server.host, port: server.port, keys: "server.host and server.port"),
            api: try api(acceptsOwner: core.settings.mode.rules.takesOwnerInPublic, isPrivate: false),
            certificate: core.certificate,
            connections: ConnectionLimit.ofPublicListener,
            admission: try admission(isPrivate: false),
            onRunning: { [core] port in
                core.boundPort.port = port
                onRunning(port)
            }
        )
    }

    /// The private listener for administrators, if there is one.
    ///
    /// - Parameter onRunning: Told the port once it is bound.
    /// - Returns: The listener.
    /// - Throws: When it cannot be made.
    func admin(onRunning: @escaping @Sendable (Int) -> Void = { _ in }) throws -> (any Service)? {
        guard let admin = core.settings.server.admin else { return nil }
        let (logger, boundPort) = (core.logger, core.boundAdminPort)
        return try application(
            at: Place(host: admin.host, port: admin.port, keys: "server.adminHost and server.adminPort"),
            api: try api(
                acceptsOwner: core.settings.admin.acceptsOwner || core.settings.mode.rules.takesOwnerInPublic,
                isPrivate: true
            ),
            certificate: nil,
            connections: ConnectionLimit.ofPrivateListener,
            admission: try admission(isPrivate: true)
        ) { port in
            boundPort.port = port
            logger.notice("private listener", metadata: ["host": "\(admin.host)", "port": "\(port)"])
            onRunning(port)
        }
    }

    /// Where a listener listens.
    private struct Place {
        let host: String
        let port: Int
        /// The settings that say so.
        let keys: String
    }

    private func application(
        at place: Place,
        api: API,
        certificate: ServedCertificate?,
        connections: Int,
        admission: Admission,
        onRunning: @escaping @Sendable (Int) -> Void
    ) throws -> any Service {
        let listener = Application(
            responder: api.responder(),
            server: try Self.server(certificate, mode: core.settings.mode, admission),
            configuration: ApplicationConfiguration(
                address: .hostname(place.host, port: place.port),
                serverName: nil,
                backlog: Self.backlog,
                availableConnectionsDelegate: .maximum(connections, logger: core.logger)
            ),
            onServerRunning: { channel in
                onRunning(channel.localAddress?.port ?? place.port)
            },
            logger: core.logger
        )
        return NamedListener(listener: listener, keys: place.keys, host: place.host, port: place.port)
    }

    // Clients of the private listener are administrators: their addresses have no share.
    private func admission(isPrivate: Bool) throws -> Admission {
        let server = core.settings.server
        let limits = core.settings.limits
        return Admission(
            house: House(isPrivate ? ConnectionLimit.privateHouse : ConnectionLimit.publicHouse(limits.connections)),
            budget: TrafficBudget(
                total: limits.bodies.totalBytes,
                perAddress: isPrivate ? limits.bodies.totalBytes : limits.bodies.perAddressBytes
            ),
            clientAddress: ClientAddress(trusted: server.trustedProxies),
            proxies: server.trustedProxies,
            refusals: try Admission.Refusals(mode: core.settings.mode)
        )
    }

    /// The API that a listener serves.
    func api(acceptsOwner: Bool, isPrivate: Bool) throws -> API {
        let settings = core.settings
        let apiKeys: [String] =
            switch settings.project.apiKeys {
            case .any: []
            case .only(let keys): keys.sorted()
            }
        let server = settings.server
        return API(
            useCases: core.useCases,
            keyRing: core.keyRing,
            auth: CallerAuth(
                mode: settings.mode.rules,
                projectID: settings.project.id,
                apiKeys: apiKeys,
                adminToken: settings.admin.token?.reveal(),
                acceptsOwner: acceptsOwner,
                credentials: core.useCases.operators.credentials,
                otherProjects: otherProjects,
                ownerWarning: isPrivate && !settings.mode.rules.takesOwnerInPublic ? OwnerWarning(logger: core.logger) : nil
            ),
            clientAddress: ClientAddress(trusted: server.trustedProxies),
            options: API.Options(
                mode: settings.mode.rules,
                issuer: core.issuer,
                publicURL: { server.publicURL(boundTo: core.boundPort.port).text },
                bodyLimits: BodyLimits(maximum: server.maxBodyBytes, ofStrangers: settings.limits.bodies.publicBytes),
                allowsRemote: settings.development.allowRemote,
                isPrivate: isPrivate,
                metrics: metrics(isPrivate: isPrivate),
                apiKey: settings.project.linkKey,
                gapiScript: gapiScript,
                recaptchaSiteKey: settings.recaptcha.site?.key,
                appLinks: settings.appLinks,
                readinessPatience: core.readinessPatience,
                warnings: settings.gaps,
                annex: try console(isPrivate: isPrivate),
                privateURL: core.consoleURL,
                journal: core.workbench?.journal
            )
        )
    }

    /// The console: on the private listener, and on the public one if the settings say so.
    func console(isPrivate: Bool) throws -> ConsoleSite? {
        guard let consoleTools, isPrivate || core.settings.console.isPublic else { return nil }
        return try ConsoleSite(consoleTools)
    }

    private static func consoleTools(_ core: Core) -> ConsoleTools? {
        guard core.settings.console.isEnabled else { return nil }
        return ConsoleTools(
            useCases: core.useCases,
            settings: core.settings,
            keyRing: core.keyRing,
            environment: core.environment,
            auditVerification: core.auditVerification,
            backups: BackupRoom(core.settings, database: core.database, environment: core.environment),
            projectFile: core.projectFile,
            textRecords: { try await TextRecords()($0) },
            development: core.workbench?.tools,
            logger: core.logger,
            url: core.consoleURL,
            publicURL: { core.settings.server.publicURL(boundTo: core.boundPort.port).text }
        )
    }

    private var otherProjects: OtherProjects? {
        guard core.settings.mode.rules.servesOtherProjects else { return nil }
        return OtherProjects(
            projectID: core.settings.project.id,
            isSingle: core.settings.development.singleProject,
            logger: core.logger
        )
    }

    // On the private listener if there is one, and then nowhere else.
    private func metrics(isPrivate: Bool) -> MetricsPage? {
        guard core.settings.metrics.enabled, isPrivate == (core.settings.server.admin != nil) else { return nil }
        let collector = core.metrics
        return MetricsPage(isOpen: isPrivate) { await collector.page() }
    }

    private static func server(
        _ certificate: ServedCertificate?,
        mode: ServerMode,
        _ admission: Admission
    ) throws -> HTTPServerBuilder {
        let unreadable = try UnreadableRequestResponder.Answers(mode: mode)
        let http1 = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                UnfinishedRequestGuard(), ExchangeMeter(), SlowRequestGuard(patience: requestPatience),
                StalledReaderGuard(patience: readerPatience), ContinueResponder(), UnreadableRequestResponder(unreadable),
            ],
            idleTimeout: .seconds(idleSeconds),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: maximumHeadBytes / 2,
                maxHeaderListSize: maximumHeadBytes,
                maxHeaderFieldCount: maximumHeadFields
            )
        )
        guard let certificate else {
            return HTTPServerBuilder { responder in
                GuardedChannel(base: HTTP1Channel(responder: responder, configuration: http1), admission: admission)
            }
        }
        var configuration = try TLSConfiguration.makeServerConfiguration(certificateReloader: certificate)
        configuration.minimumTLSVersion = .tlsv12
        let tls = configuration
        return HTTPServerBuilder { responder in
            GuardedChannel(
                base: try HTTP2UpgradeChannel(
                    tlsConfiguration: tls,
                    configuration: .init(idleTimeout: .seconds(idleSeconds), streamConfiguration: http1),
                    responder: responder
                ),
                admission: admission,
                patience: QuietPeerGuard.Patience()
            )
        }
    }
}
