import Accounts
import ArgumentParser
import HTTPAPI
import Project
import Tenancy

extension ProvidersCommand {
    /// `postern providers list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the configured providers, without secrets.")

        @OptionGroup var options: Options

        func run() async throws {
            try await CommandStore.withUseCases(options.config, tenant: options.tenant, onlyReads: true) { workplace in
                let providers = workplace.useCases.operators.configuration.providers
                var found: [JSONValue] = []
                for collection in ProviderCollection.allCases {
                    var token = ""
                    repeat {
                        let page = try await providers.list(
                            collection,
                            pageSize: 100,
                            pageToken: token,
                            context: ProvidersCommand.context(workplace)
                        )
                        found += page[collection.rawValue]?.array ?? []
                        token = page["nextPageToken"]?.string ?? ""
                    } while !token.isEmpty
                }
                if options.json { return print(JSONValue.object(["providers": .array(found)]).text) }
                var table = TextTable(["ID", "STATE", "CLIENT ID", "ISSUER"])
                for provider in found {
                    let id = provider["name"]?.string?.split(separator: "/").last.map(String.init)
                    let issuer = provider["issuer"]?.string ?? provider["idpConfig"]?["idpEntityId"]?.string
                    table.add([id, provider["enabled"] == true ? "enabled" : "disabled", provider["clientId"]?.string, issuer])
                }
                table.show()
            }
        }
    }
}
