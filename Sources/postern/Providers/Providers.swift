import Accounts
import ArgumentParser
import Project
import Tenancy

/// `postern providers`: identity providers, with the rules of the configuration API.
struct ProvidersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "providers",
        abstract: "List, show, configure, import, test and delete identity providers.",
        subcommands: [List.self, Show.self, Set.self, Import.self, Test.self, Delete.self]
    )

    struct Options: ParsableArguments {
        @OptionGroup var config: ConfigOption
        @Option(help: "The tenant; without it, the project itself.") var tenant: String?
        @Flag(help: "Print JSON.") var json = false
    }

    static func collection(_ id: String) -> ProviderCollection {
        if id.hasPrefix("oidc.") { return .oauthIdpConfigs }
        if id.hasPrefix("saml.") { return .inboundSamlConfigs }
        return .defaultSupportedIdpConfigs
    }

    /// A call without the right to read secrets, so that none are printed.
    static func context(_ workplace: CommandStore.Workplace) -> CallContext {
        var context = workplace.context
        context.adminScopes = [.read, .config]
        return context
    }
}
