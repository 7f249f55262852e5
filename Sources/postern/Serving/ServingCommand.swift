import ArgumentParser
import Logging
import Server
import Settings

/// A command that is a server.
protocol ServingCommand: AsyncParsableCommand {
    var export: ExportOptions { get }
}

extension ServingCommand {
    /// Serves until the server is asked to stop.
    func serve(_ settings: Settings, variables: [String: String]) async throws {
        let run = ServerRun(
            settings,
            variables: variables,
            importDirectory: export.importDirectory,
            exportDirectory: try export.exportDirectory(),
            logger: Logger(settings.log)
        )
        do { try await run.run() } catch { throw CommandFailure(error) }
    }
}
