import Logging
import Project
import ServiceLifecycle
import Settings
import UnixSignals

/// The life of a server: opens everything, serves until it is asked to stop, and closes everything.
struct ServerRun {
    let settings: Settings
    /// The process's environment.
    let variables: [String: String]
    let export: ExportOptions
    let logger: Logger

    /// The variables that keep everything in memory.
    static let inMemory = ["POSTERN_DATABASE_URL": "sqlite::memory:"]

    // How long requests in flight may take to finish once the server is asked to stop.
    private static let shutdownBound = Duration.seconds(20)

    /// Serves.
    ///
    /// - Throws: ``CommandFailure`` when the server cannot start or cannot write its export.
    func run() async throws {
        let exportDirectory = try export.exportDirectory()
        if let source = export.importDirectory {
            try EmulatorDirectory.checkSource(source, isMadeOnExit: exportDirectory == source)
        }
        // A wrong directory must be reported at the start, not when the server stops.
        if let exportDirectory { try EmulatorDirectory.checkPlace(exportDirectory) }
        ConnectionLimit.raiseDescriptors()
        for warning in settings.warnings { logger.warning("\(warning)") }
        let core: Core
        do {
            core = try await Core(settings, variables: variables, logger: logger)
        } catch {
            throw CommandFailure(error)
        }
        do {
            let directory = EmulatorDirectory(services: core.services, projectID: settings.project.id)
            if let path = export.importDirectory { try await importAccounts(path, by: directory) }
            try await serve(core)
            if let exportDirectory {
                let count = try await directory.write(exportDirectory)
                logger.notice("accounts exported", metadata: ["directory": "\(exportDirectory)", "accounts": "\(count)"])
            }
        } catch {
            await core.shutdown()
            throw CommandFailure(error)
        }
        await core.shutdown()
        logger.notice("stopped")
    }

    private func importAccounts(_ path: String, by directory: EmulatorDirectory) async throws {
        if let count = try await directory.read(path) {
            logger.notice("accounts imported", metadata: ["directory": "\(path)", "accounts": "\(count)"])
        } else {
            let place: Logger.Metadata = ["directory": "\(path)"]
            logger.warning("nothing imported: no export of the emulator is there", metadata: place)
        }
    }

    private func serve(_ core: Core) async throws {
        let listener = Listener(core: core)
        var services: [any Service] = [Maintenance(core: core), PasswordSurvey(core: core)] + core.assembly.senders
        if let admin = try listener.admin() { services.append(admin) }
        services.append(try listener.main { Banner.show(core.settings, port: $0) })
        var configuration = ServiceGroupConfiguration(
            services: services,
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: core.logger
        )
        configuration.maximumGracefulShutdownDuration = Self.shutdownBound
        try await ServiceGroup(configuration: configuration).run()
    }
}
