import Accounts
import ArgumentParser
import Foundation
import Project

/// `postern config`: looks at the settings.
struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Look at the settings.", subcommands: [Check.self])

    /// `postern config check`: reads settings and project file as the server would, and says what is wrong.
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Check the settings and the project file.")

        @OptionGroup var config: ConfigOption

        func run() async throws {
            let settings = try await config.settings()
            do {
                if let file = settings.project.file {
                    _ = try ProjectDeclaration(ProjectFile.load(path: file, environment: config.variables))
                }
                try checkFiles(settings)
            } catch {
                throw CommandFailure(error)
            }
            for warning in settings.warnings { print("warning: \(warning)") }
            print("The settings are good.")
        }

        private func checkFiles(_ settings: Settings) throws {
            if case .file(let path) = settings.secrets.masterKey {
                guard let text = try? String(contentsOfFile: path, encoding: .utf8),
                    SecretsSettings.MasterKey.decode(text) != nil
                else {
                    throw MasterKeySource.Unusable(
                        description: "secrets.masterKeyFile: expected a readable file with base64 of 32 bytes at \(path)"
                    )
                }
            }
            let files = [
                ("server.tls.certificateFile", settings.server.tls?.certificateFile),
                ("server.tls.privateKeyFile", settings.server.tls?.privateKeyFile),
                ("outbound.caFile", settings.outbound.caFile),
                ("gameCenter.caFile", settings.gameCenter.caFile),
            ]
            for case (let key, .some(let path)) in files where !FileManager.default.isReadableFile(atPath: path) {
                throw MasterKeySource.Unusable(description: "\(key): cannot read \(path)")
            }
        }
    }
}
