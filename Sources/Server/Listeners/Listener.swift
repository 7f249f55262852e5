import Accounts
import Console
import HTTPAPI
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

    init(core: Core) {
        self.core = core
        consoleTools = Self.consoleTools(core)
    }

    /// The public listener, with TLS when the settings say so.
    func main(onRunning: @escaping @Sendable (Int) -> Void) throws -> any Service {
        let socket = ListenerSocket.main(core.settings, certificate: core.certificate, logger: core.logger)
        return try socket.service(publicDoor()) { [core] port in
            core.boundPort.port = port
            onRunning(port)
        }
    }

    /// The private listener for administrators, if there is one.
    func admin(onRunning: @escaping @Sendable (Int) -> Void = { _ in }) throws -> (any Service)? {
        guard let socket = ListenerSocket.admin(core.settings, logger: core.logger) else { return nil }
        return try socket.service(privateDoor()) { [core] port in
            core.boundAdminPort.port = port
            onRunning(port)
        }
    }

    /// What answers on the public listener.
    func publicDoor() throws -> FrontDoor {
        try api(acceptsOwner: core.settings.mode.rules.takesOwnerInPublic, isPrivate: false).responder()
    }

    /// What answers on the private listener.
    func privateDoor() throws -> FrontDoor {
        try api(acceptsOwner: core.settings.admin.acceptsOwner || core.settings.mode.rules.takesOwnerInPublic, isPrivate: true)
            .responder()
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
                annex: console(isPrivate: isPrivate),
                privateURL: core.consoleURL,
                journal: core.workbench?.journal
            )
        )
    }

    /// The console: on the private listener, and on the public one if the settings say so.
    func console(isPrivate: Bool) -> ConsoleSite? {
        guard let consoleTools, isPrivate || core.settings.console.isPublic else { return nil }
        return ConsoleSite(consoleTools)
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
}
