import ArgumentParser
import Project
import Server
import Settings
import Tenancy

/// `postern config`: checks and lists the settings.
struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look at the settings.",
        subcommands: [Check.self, ConfigReference.self]
    )

    /// `postern config check`: reads settings and project file as the server and its first sign-ins do, and prints all faults.
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Check the settings and the project file.")

        @OptionGroup var config: ConfigOption

        func run() async throws {
            let settings = try await config.settings()
            let found = ConfigurationCheck.look(settings, variables: config.variables)
            guard found.faults.isEmpty else { throw CommandFailure(found.faults.joined(separator: "\n")) }
            for warning in found.warnings { print("warning: \(warning)") }
            print("The settings are good.")
        }
    }
}
