import Accounts
import Console
import HTTPAPI
import Project
import Settings

/// What answers on the listeners: the API, and the console where it is shown.
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

    /// What answers on the public listener.
    func publicDoor() -> FrontDoor { api(isPrivate: false).responder }

    /// What answers on the private listener.
    func privateDoor() -> FrontDoor { api(isPrivate: true).responder }

    /// The API that a listener serves.
    func api(isPrivate: Bool) -> API {
        var options = API.Options(
            core.settings,
            isPrivate: isPrivate,
            issuer: core.issuer,
            publicURL: core.addresses.publicURL,
            privateURL: core.consoleURL,
            readinessPatience: core.readinessPatience
        )
        options.metrics = metrics(isPrivate: isPrivate)
        options.gapiScript = gapiScript
        options.mountedSite = console(isPrivate: isPrivate)
        options.journal = core.developmentTools?.journal
        return API(core.useCases, keyRing: core.keyRing, options)
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
            backups: BackupDirectory(core.settings, database: core.database, environment: core.environment),
            projectFile: core.projectFile,
            textRecords: { try await TextRecords()($0) },
            development: core.developmentTools?.tools,
            logger: core.logger,
            url: core.consoleURL,
            publicURL: core.addresses.publicURL
        )
    }

    // On the private listener if there is one, and then nowhere else.
    private func metrics(isPrivate: Bool) -> MetricsPage? {
        guard core.settings.metrics.enabled, isPrivate == (core.settings.server.admin != nil) else { return nil }
        let collector = core.metrics
        return MetricsPage(isOpen: isPrivate) { await collector.page() }
    }
}
