import Accounts
import ArgumentParser
import Foundation
import Project
import Server
import Settings
import Storage
import Tokens

/// `postern service-account`: the accounts whose custom tokens sign users in, and which get access tokens. Works beside a running
/// server, which applies changes within two seconds.
struct ServiceAccounts: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service-account",
        abstract: "Make, list or delete the service accounts that sign custom tokens.",
        subcommands: [Create.self, List.self, Delete.self]
    )

    /// `postern service-account create NAME`.
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a service account and write its key file, which the Admin SDKs take as a credential.",
            discussion: """
                The key file is the only copy of the private key: the store keeps the public half. With --held there is no file: the \
                store keeps the private key, sealed, and the server signs custom tokens with it (signBlob).
                """
        )

        @OptionGroup var config: ConfigOption
        @Argument(help: "What stands before the @ of its e-mail.") var name: String
        @Option(help: "The file to make, mode 0600; one that exists is refused. Default: standard output.") var output: String?
        @Flag(help: "Keep the private key in the store instead of a file.") var held = false
        @Flag(help: "Print JSON.") var json = false

        func validate() throws {
            guard !held || output == nil else { throw ValidationError("--held makes no file, so leave out --output") }
        }

        func run() async throws {
            if held { try await createHeld() } else { try await createFile() }
        }

        private func createHeld() async throws {
            try await ServiceAccounts.withRegistry(config) { registry, _, keys in
                let keys = try keys()
                // It also shows whether the master key is that of the store.
                try await keys.ring.loadForCommand(makesKeys: true)
                let account = try await registry.createHeld(name, sealer: keys.sealer)
                print(json ? account.json.text : "\(account.email): key \(account.keyID) is held by the server")
            }
        }

        private func createFile() async throws {
            try await ServiceAccounts.withRegistry(config) { registry, settings, _ in
                _ = try registry.email(of: name)
                // The file is created before the account, so that a file that cannot be written leaves nothing in the store.
                let file = try output.map(PrivateFile.create)
                do {
                    let publicURL = settings.server.publicURL(boundTo: settings.server.port).text
                    let (account, document) = try await registry.create(name, publicURL: publicURL)
                    let text = try document.readable()
                    guard let file, let output else { return print(text) }
                    do {
                        try file.write(contentsOf: Data("\(text)\n".utf8))
                        try file.synchronize()
                        try file.close()
                    } catch {
                        try await registry.delete(account.email)
                        throw error
                    }
                    let answer = account.json.merging(["file": .string(output)])
                    print(json ? answer.text : "\(account.email): key \(account.keyID) written to \(output)")
                } catch {
                    if let output { unlink(output) }
                    throw error
                }
            }
        }
    }

    /// `postern service-account list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the service accounts.")

        @OptionGroup var config: ConfigOption
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            try await ServiceAccounts.withRegistry(config) { registry, _, _ in
                let accounts = try await registry.list()
                if json {
                    print(JSONValue.object(["serviceAccounts": .array(accounts.map(\.json))]).text)
                } else {
                    for account in accounts {
                        let held = account.isHeld ? "  held" : account.serverKeyID.map { "  held besides: \($0)" } ?? ""
                        print("\(account.email)  \(account.keyID)  \(account.createdAt)\(held)")
                    }
                }
            }
        }
    }

    /// `postern service-account delete NAME`.
    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a service account: its custom tokens sign nobody in any more."
        )

        @OptionGroup var config: ConfigOption
        @Argument(help: "Its name, or its whole e-mail.") var name: String
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            try await ServiceAccounts.withRegistry(config) { registry, _, _ in
                let email = try await registry.delete(name)
                print(json ? JSONValue.object(["deleted": .string(email)]).text : "\(email): deleted")
            }
        }
    }

    private static func withRegistry(
        _ config: ConfigOption,
        _ body: (ServiceAccountRegistry, Settings, _ keys: () throws -> StoreKeys) async throws -> Void
    ) async throws {
        try await CommandStore.withDatabase(config) { database, environment, settings in
            let context = CallContext.commandLine(projectID: settings.project.id, tenant: nil)
            let registry = ServiceAccountRegistry(database: database, environment: environment, context: context)
            try await body(registry, settings) { try StoreKeys(settings, of: database, environment: environment) }
        }
    }
}
