import ArgumentParser
import Foundation
import Server
import Settings

/// `postern emulator`: replaces `firebase emulators:start --only auth` (ruling 25).
struct Emulator: ServingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Stand in for the Firebase Auth emulator: in memory, without any file.",
        discussion: """
            Development mode on this machine alone. No settings file is read and no provider is configured, so every credential is taken \
            at its word. POSTERN_ variables count as for `serve`, but for POSTERN_MODE and POSTERN_DATABASE_URL.
            """
    )

    @Option(help: "The project that API keys stand for; any other is served, too.") var project: String?
    @Option(help: "The port; 0 takes any free one. (default: 9099)") var port: Int?
    @OptionGroup var export: ExportOptions

    func run() async throws {
        let variables = ProcessInfo.processInfo.environment
        var overrides = ServerRun.inMemory
        overrides["POSTERN_MODE"] = "development"
        overrides["POSTERN_PROJECT_ID"] = project
        overrides["POSTERN_SERVER_PORT"] = port.map { String($0) }
        let settings: Settings
        do {
            settings = try SettingsLoader.load(
                file: nil,
                environment: variables.merging(overrides) { $1 },
                surroundings: .ofProcess.withoutUsualFiles
            )
        } catch {
            throw CommandFailure(error)
        }
        try await serve(settings, variables: variables)
    }
}
