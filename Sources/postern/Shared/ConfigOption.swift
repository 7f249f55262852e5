import ArgumentParser
import Foundation
import Logging
import Server
import Settings

/// `--config FILE`, an option of every command.
struct ConfigOption: ParsableArguments {
    @Option(name: .customLong("config"), help: "The settings file (YAML); environment variables override it.")
    var file: String?

    /// The process's environment.
    var variables: [String: String] { ProcessInfo.processInfo.environment }

    func settings(overrides: [String: String] = [:]) async throws -> Settings {
        do {
            return try SettingsLoader.load(file: file, environment: variables.merging(overrides) { $1 })
        } catch {
            throw CommandFailure(error)
        }
    }

    func logger(_ settings: Settings) -> Logger { Logger(settings.log) }
}
