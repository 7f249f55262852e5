import Accounts
import ArgumentParser
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
        @OptionGroup var confirmation: Confirmation

        func run() async throws {
            let name = TerminalText.printable(id)
            try await CommandStore.withUseCases(options.config, tenant: options.tenant) { workplace in
                let providers = workplace.useCases.operators.configuration.providers
                let collection = ProvidersCommand.collection(id)
                _ = try await providers.get(collection, id: id, context: workplace.context)
                try confirmation.requireWayToAsk()
                try confirmation.ask("Delete the configuration of \(name), with its secret")
                try await providers.delete(collection, id: id, context: workplace.context)
                print(options.json ? JSONValue.object(["deleted": .string(id)]).text : "\(name) is deleted")
            }
        }
    }
}
