import ArgumentParser
import Project

@main
struct Postern: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "postern",
        abstract: "A self-hosted identity federation server that speaks Firebase Authentication's REST API.",
        version: Release.version,
        subcommands: [
            Serve.self, Emulator.self, Init.self, HealthCommand.self, Migrate.self, Config.self, Keys.self, ServiceAccounts.self,
            Backup.self, Restore.self, Copy.self, Clock.self,
            AdminToken.self, ConsoleCommand.self,
            Users.self, Audit.self, ProvidersCommand.self,
        ],
        defaultSubcommand: Serve.self
    )

    static func main() async { await main(Users.Import.spelledOut(Array(CommandLine.arguments.dropFirst()))) }
}
