import Accounts
import ArgumentParser
import Project
import Storage
import Tokens

extension Keys {
    /// `postern keys saml`: the keys that sign requests to SAML providers and decrypt what they encrypt.
    struct SAML: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "saml",
            abstract: "Show, rotate or revoke the keys of this server as a SAML service provider.",
            subcommands: [List.self, Rotate.self, Revoke.self]
        )

        /// `postern keys saml list`.
        struct List: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "List the keys and what they do, with their certificates in JSON."
            )

            @OptionGroup var config: ConfigOption
            @Flag(help: "Print JSON.") var json = false

            func run() async throws {
                try await CommandStore.withUseCases(config, tenant: nil, onlyReads: true) { workplace in
                    let keys = try await workplace.serviceKeys.stored()
                    if json {
                        print(JSONValue.object(["keys": .array(keys.map(SAML.describe))]).text)
                    } else {
                        for key in keys { print("\(key.record.kid)  \(SAML.state(of: key))") }
                    }
                }
            }
        }

        /// `postern keys saml rotate`.
        struct Rotate: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Sign with the published successor from now on; the old key decrypts for three months.",
                discussion: """
                    Providers refuse requests of a key that they do not know. Before, give them the successor's certificate, which stands in \
                    the metadata and in spConfig.spCertificates beside the current one.
                    """
            )

            @OptionGroup var config: ConfigOption
            @Flag(help: "Print JSON.") var json = false

            func run() async throws {
                try await CommandStore.withUseCases(config, tenant: nil) { workplace in
                    let kid = try await workplace.serviceKeys.rotate(context: workplace.context)
                    print(json ? JSONValue.object(["kid": .string(kid)]).text : "\(kid) signs now")
                }
            }
        }

        /// `postern keys saml revoke`.
        struct Revoke: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Forget a key that others may know: it neither signs nor decrypts any more."
            )

            @OptionGroup var config: ConfigOption
            @Argument(help: "The key's id, as keys saml list shows it.") var kid: String
            @Flag(help: "Print JSON.") var json = false

            func run() async throws {
                try await CommandStore.withUseCases(config, tenant: nil) { workplace in
                    do {
                        let signing = try await workplace.serviceKeys.revoke(kid, context: workplace.context)
                        print(json ? JSONValue.object(["kid": .string(signing)]).text : "\(kid) is revoked; \(signing) signs now")
                    } catch is ServiceProviderKeys.UnknownKey {
                        throw CommandFailure("there is no key \(TerminalText.printable(kid))")
                    }
                }
            }
        }

        private static func state(of key: ServiceProviderKeys.Key) -> String {
            if key.record.activatedAt == nil { return "next" }
            return key.record.retiredAt == nil ? "signing" : "decrypting"
        }

        private static func describe(_ key: ServiceProviderKeys.Key) -> JSONValue {
            [
                "kid": .string(key.record.kid), "state": .string(state(of: key)), "certificate": .string(key.certificate),
                "createdAt": .string(key.record.createdAt.rfc3339),
            ]
        }
    }
}
