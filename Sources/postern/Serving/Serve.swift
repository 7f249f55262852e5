import ArgumentParser
import Project
import Server
import Settings

/// `postern serve`: the server itself.
struct Serve: ServingCommand {
    static let configuration = CommandConfiguration(abstract: "Serve the API until SIGTERM or SIGINT.")

    @OptionGroup var config: ConfigOption
    @OptionGroup var export: ExportOptions
    @Flag(help: "Keep everything in memory, whatever database.url says; development mode only.") var ephemeral = false

    func run() async throws {
        let settings = try await readSettings()
        if ephemeral, !settings.mode.rules.mayForgetOnExit {
            throw CommandFailure("--ephemeral is for development mode")
        }
        if export.isGiven, !settings.mode.rules.mayForgetOnExit {
            throw CommandFailure("--import and --export-on-exit are for development mode")
        }
        try await serve(settings, variables: config.variables)
    }

    private func readSettings() async throws -> Settings {
        do {
            return try await config.settings(overrides: ephemeral ? ServerRun.inMemory : [:])
        } catch let failure as CommandFailure where config.file == nil && config.variables["POSTERN_MODE"] == nil {
            // A user who starts the server without settings sees this.
            throw CommandFailure(
                """
                \(failure)
                For a test server on this machine alone: postern emulator
                One that keeps its users: POSTERN_MODE=development postern serve
                """
            )
        }
    }
}
