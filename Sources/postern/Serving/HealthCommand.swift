import ArgumentParser
import Server
import Settings

/// `postern health`: the health check of a container.
struct HealthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Ask the server that runs with these settings on this machine whether it can serve.",
        discussion: "Ends with 0 when GET /readyz answers 200, with 1 otherwise. Speaks TLS when the listener does."
    )

    @OptionGroup var config: ConfigOption
    @Option(help: "For how many seconds to wait.") var timeout = 3

    func validate() throws {
        guard (1...60).contains(timeout) else { throw ValidationError("--timeout takes 1 to 60 seconds") }
    }

    func run() async throws {
        let settings = try await config.settings()
        do {
            try await HealthProbe.ask(settings.server, seconds: timeout)
        } catch {
            throw CommandFailure(error)
        }
        print("ready")
    }
}
