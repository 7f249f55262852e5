import ArgumentParser
import Project
import Server
import Settings
import Tenancy

/// `postern config`: checks the settings.
struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Look at the settings.", subcommands: [Check.self])

    /// `postern config check`: reads settings and project file as the server does, and prints all faults.
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Check the settings and the project file.")

        @OptionGroup var config: ConfigOption

        func run() async throws {
            let settings = try await config.settings()
            do {
                if let file = settings.project.file {
                    _ = try DeclaredProject.read(file, variables: config.variables)
                }
                try NamedFiles.check(settings)
            } catch {
                throw CommandFailure(error)
            }
            for warning in settings.warnings + settings.gaps { print("warning: \(warning)") }
            print("The settings are good.")
        }
    }
}
