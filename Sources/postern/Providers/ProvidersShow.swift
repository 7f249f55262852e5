import Accounts
import ArgumentParser
import HTTPAPI
import Project
import Tenancy

extension ProvidersCommand {
    /// `postern providers show ID`.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a provider's configuration, without secrets.",
            discussion: "Each line is KEY=VALUE, as `postern providers set` takes them."
        )

        @OptionGroup var options: Options
        @Argument(help: "google.com, apple.com, oidc.NAME…") var id: String

        func run() async throws {
            try await CommandStore.withUseCases(options.config, tenant: options.tenant, onlyReads: true) { workplace in
                let provider = try await workplace.useCases.operators.configuration.providers.get(
                    ProvidersCommand.collection(id),
                    id: id,
                    context: ProvidersCommand.context(workplace)
                )
                if options.json { return print(provider.text) }
                for line in Self.lines(provider, at: "") { print(TerminalText.printable(line)) }
            }
        }

        private static func lines(_ value: JSONValue, at path: String) -> [String] {
            switch value {
            case .object(let members): members.flatMap { lines($0.value, at: path.isEmpty ? $0.key.text : "\(path).\($0.key)") }
            case .array(let items) where items.allSatisfy({ $0.string != nil }):
                ["\(path)=\(items.compactMap(\.string).joined(separator: ","))"]
            case .string(let text): ["\(path)=\(text)"]
            default: ["\(path)=\(value.text)"]
            }
        }
    }
}
