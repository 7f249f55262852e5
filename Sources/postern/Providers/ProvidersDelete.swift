import Accounts
import ArgumentParser
import Foundation
import HTTPAPI
import Project
import Tenancy

extension ProvidersCommand {
    /// `postern providers delete ID`.
    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a provider's configuration.",
            discussion: """
                Nobody can sign in with the provider any more. Accounts keep their links to it. What the project file names comes back at \
                the next start.
                """
        )

        @OptionGroup var options: Options
        @Argument(help: "google.com, apple.com, oidc.NAME…") var id: String
        @Flag(help: "Do not ask.") var yes = false

        func run() async throws {
            let name = TerminalText.printable(id)
            try await CommandStore.withUseCases(options.config, tenant: options.tenant) { workplace in
                let providers = workplace.useCases.operators.configuration.providers
                let collection = ProvidersCommand.collection(id)
                _ = try await providers.get(collection, id: id, context: workplace.context)
                if !yes { try Self.confirm("Delete the configuration of \(name), with its secret? [y/N]") }
                try await providers.delete(collection, id: id, context: workplace.context)
                print(options.json ? JSONValue.object(["deleted": .string(id)]).text : "\(name) is deleted")
            }
        }

        private static func confirm(_ question: String) throws {
            guard isatty(STDIN_FILENO) == 1 else {
                throw CommandFailure("nobody can be asked here: --yes deletes without a question")
            }
            // `print` would keep a line without its end.
            FileHandle.standardOutput.write(Data((question + " ").utf8))
            guard ["y", "yes"].contains(readLine()?.lowercased()) else { throw CommandFailure("nothing was deleted") }
        }
    }
}
