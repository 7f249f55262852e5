import Accounts
import ArgumentParser
import Foundation
import HTTPAPI
import Project
import Tenancy

extension ProvidersCommand {
    /// `postern providers import ID`.
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Configure a SAML provider by its metadata.",
            discussion: """
                Takes entity id, address and certificates from the provider's document. A provider that is not configured yet is \
                configured with this server's usual names and switched off: look at it, then set enabled=true. Nothing shows who wrote the \
                document; take it from the provider itself, over https or by hand.
                """
        )

        @OptionGroup var options: Options
        @Argument(help: "saml.NAME") var id: String
        @Option(help: "The address of the provider's metadata.") var url: String?
        @Option(help: "The file with the provider's metadata; - reads standard input.") var file: String?

        private static let maximumBytes = 1 << 20

        func validate() throws {
            guard (url == nil) != (file == nil) else { throw ValidationError("--url or --file is needed") }
        }

        func run() async throws {
            let source = try url.map(MetadataSource.url) ?? .xml(document())
            try await CommandStore.withUseCases(options.config, tenant: options.tenant, reachesOut: true) { workplace in
                let provider = try await workplace.useCases.operators.configuration.providers.importMetadata(
                    id: id,
                    from: source,
                    context: ProvidersCommand.context(workplace)
                )
                if options.json { return print(provider.text) }
                let state = provider["enabled"] == true ? "switched on" : "switched off"
                print("\(TerminalText.printable(id)) is configured and \(state)")
                for warning in provider["warnings"]?.array ?? [] { print("warning: \(warning.string ?? "")") }
            }
        }

        private func document() throws -> [UInt8] {
            let path = file ?? "-"
            let handle = path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path)
            guard let data = try handle?.read(upToCount: Self.maximumBytes) else {
                throw CommandFailure("cannot read \(TerminalText.path(path))")
            }
            return Array(data)
        }
    }
}
