import ArgumentParser

/// The command line.
@main
struct Postern: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "postern",
        abstract: "A self-hosted identity federation server that speaks Firebase Authentication's REST API.",
        // The version that CHANGELOG.md is about to describe, or describes first.
        version: "0.2.0-dev",
        subcommands: [
            Serve.self, Emulator.self, Migrate.self, Config.self, Keys.self, ServiceAccounts.self, Backup.self, Copy.self,
            AdminToken.self,
            Users.self, Audit.self, ProvidersCommand.self,
        ],
        defaultSubcommand: Serve.self
    )
}
