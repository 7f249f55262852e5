import ArgumentParser
import Logging
import Project
import ServiceLifecycle
import UnixSignals

/// `postern serve`: the server itself.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Serve the API until SIGTERM or SIGINT.")

    @OptionGroup var config: ConfigOption
    @Flag(help: "Keep everything in memory, whatever database.url says; development mode only.") var ephemeral = false

    @Option(name: .customLong("import"), help: "Read an export directory of the Firebase emulator first; development mode only.")
    var importDirectory: String?
    @Option(
        defaultAsFlag: "",
        help:
            "Write such a directory when the server is asked to stop, that of --import unless another is named; development mode only."
    )
    var exportOnExit: String?

    // How long requests in flight may take to finish once the server is asked to stop.
    private static let shutdownBound = Duration.seconds(20)

    func run() async throws {
        let settings = try await readSettings()
        if ephemeral, settings.mode != .development {
            throw CommandFailure("--ephemeral is for development mode")
        }
        if importDirectory != nil || exportOnExit != nil, settings.mode != .development {
            throw CommandFailure("--import and --export-on-exit are for development mode")
        }
        let exportDirectory = try exportOnExit.map { name in
            guard let directory = name.isEmpty ? importDirectory : name else {
                throw CommandFailure("--export-on-exit needs a directory where --import names none")
            }
            return directory
        }
        if let importDirectory {
            try EmulatorDirectory.checkSource(importDirectory, isMadeOnExit: exportDirectory == importDirectory)
        }
        // Not at the end of a day's work.
        if let exportDirectory { try EmulatorDirectory.checkPlace(exportDirectory) }
        ConnectionLimit.raiseDescriptors()
        let logger = config.logger(settings)
        for warning in settings.warnings { logger.warning("\(warning)") }
        let core: Core
        do {
            core = try await Core(settings, variables: config.variables, logger: logger)
        } catch {
            throw CommandFailure(error)
        }
        do {
            let directory = EmulatorDirectory(services: core.services, projectID: settings.project.id)
            if let importDirectory {
                if let count = try await directory.read(importDirectory) {
                    logger.notice("accounts imported", metadata: ["directory": "\(importDirectory)", "accounts": "\(count)"])
                } else {
                    let place: Logger.Metadata = ["directory": "\(importDirectory)"]
                    logger.warning("nothing imported: no export of the emulator is there", metadata: place)
                }
            }
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

    private func readSettings() async throws -> Settings {
        do {
            return try await config.settings(overrides: ephemeral ? ["POSTERN_DATABASE_URL": "sqlite::memory:"] : [:])
        } catch let failure as CommandFailure where config.file == nil && config.variables["POSTERN_MODE"] == nil {
            // What whoever tries it first sees.
            throw CommandFailure("\(failure)\nFor a test server on this machine alone: POSTERN_MODE=development postern serve")
        }
    }

    private func serve(_ core: Core) async throws {
        let listener = Listener(core: core)
        var services: [any Service] = [Maintenance(core: core)] + core.assembly.senders
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
