import Accounts
package import Logging
import Project
import ServiceLifecycle
package import Settings
import UnixSignals

/// The life of a server: opens everything, serves until it is asked to stop, and closes everything.
package struct ServerRun {
    private let settings: Settings
    private let variables: [String: String]
    private let importDirectory: String?
    private let exportDirectory: String?
    private let logger: Logger

    /// The variables that keep everything in memory.
    package static let inMemory = ["POSTERN_DATABASE_URL": "sqlite::memory:"]

    // How long requests in flight may take to finish once the server is asked to stop.
    private static let shutdownBound = Duration.seconds(20)

    /// Prepares a server.
    ///
    /// - Parameters:
    ///   - importDirectory: An export of the Firebase emulator to read first; development only.
    ///   - exportDirectory: Where to write such an export at the end; development only.
    package init(
        _ settings: Settings,
        variables: [String: String],
        importDirectory: String? = nil,
        exportDirectory: String? = nil,
        logger: Logger
    ) {
        self.settings = settings
        self.variables = variables
        self.importDirectory = importDirectory
        self.exportDirectory = exportDirectory
        self.logger = logger
    }

    /// Serves until SIGTERM or SIGINT. SIGHUP reads the listener's TLS files again.
    package func run() async throws {
        if let importDirectory {
            try EmulatorDirectory.checkSource(importDirectory, isMadeOnExit: exportDirectory == importDirectory)
        }
        // A wrong directory must be reported at the start, not when the server stops.
        if let exportDirectory { try EmulatorDirectory.checkPlace(exportDirectory) }
        ConnectionLimit.raiseDescriptors()
        // SIGHUP is trapped until the very end, so that none ends the process, with TLS or without.
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        defer { withExtendedLifetime(hangUps) {} }
        for warning in settings.warnings + settings.gaps { logger.warning("\(warning)") }
        let sockets = HeldSockets()
        let core: Core
        do {
            core = try await Core(
                settings,
                variables: variables,
                logger: logger,
                beforeStore: { certificate, logger in try await sockets.bind(settings, certificate, logger) }
            )
        } catch {
            await sockets.close()
            throw error
        }
        do {
            let directory = EmulatorDirectory(useCases: core.useCases, projectID: settings.project.id)
            if let importDirectory { try await importAccounts(importDirectory, by: directory) }
            try await serve(core, sockets, hangUps)
            if let exportDirectory {
                let count = try await directory.write(exportDirectory)
                logger.notice("accounts exported", metadata: ["directory": "\(exportDirectory)", "accounts": "\(count)"])
            }
        } catch {
            await sockets.close()
            await core.shutdown()
            throw error
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

    private func serve(_ core: Core, _ sockets: HeldSockets, _ hangUps: UnixSignalsSequence) async throws {
        // The first service ends last, so that what the others log and trace at the end is sent.
        let telemetry: [any Service] = [core.telemetry].compactMap(\.self)
        var services = telemetry + [Maintenance(core: core), PasswordSurvey(core: core)] + core.assembly.senders
        services.append(certificateWatch(core, hangUps))
        services.append(DailyCountWriter(counts: core.useCases.dailyCounts))
        services.append(RefusalWriter(refusals: core.useCases.refusals))
        services += core.auditForwardings.map { AuditForwarder(forwarding: $0, logger: core.logger) }
        let first = FirstInvitation(core)
        let invitation = try await first.make()
        // The start is complete once the listeners run.
        let hasPrivateListener = core.settings.server.admin != nil
        services += sockets.prepare(Listener(core: core)) { listener in
            if !listener.isPrivate { Banner.show(core.settings, port: listener.port) }
            if listener.isPrivate == hasPrivateListener { first.show(invitation) }
        }
        var configuration = ServiceGroupConfiguration(
            services: services,
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: core.logger
        )
        configuration.maximumGracefulShutdownDuration = Self.shutdownBound
        try await ServiceGroup(configuration: configuration).run()
    }

    private func certificateWatch(_ core: Core, _ hangUps: UnixSignalsSequence) -> CertificateWatch {
        let watched = settings.server.tls.flatMap { tls in
            core.certificate.map { CertificateWatch.Watched(tls: tls, certificate: $0) }
        }
        return CertificateWatch(watched, hangUps: hangUps, now: core.environment.now, logger: core.logger)
    }
}
