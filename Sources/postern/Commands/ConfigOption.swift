import ArgumentParser
import Foundation
import Logging
import Settings

/// `--config FILE`, an option of every command.
struct ConfigOption: ParsableArguments {
    @Option(name: .customLong("config"), help: "The settings file (YAML); environment variables override it.")
    var file: String?

    /// The process's environment.
    var variables: [String: String] { ProcessInfo.processInfo.environment }

    /// Reads the settings.
    ///
    /// - Parameter overrides: Variables that replace those of the environment.
    /// - Returns: The settings.
    /// - Throws: ``CommandFailure`` with all faults.
    func settings(overrides: [String: String] = [:]) async throws -> Settings {
        do {
            return try await SettingsLoader.load(file: file, environment: variables.merging(overrides) { $1 })
        } catch {
            throw CommandFailure(error)
        }
    }

    /// A logger as the settings define it.
    func logger(_ settings: Settings) -> Logger { LineLog.logger(settings.log) }
}

/// Ends a command with a message and exit code 1, without the usage text that a wrong argument prints.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ error: any Error) { description = "\(error)" }

    init(_ description: String) { self.description = description }
}
