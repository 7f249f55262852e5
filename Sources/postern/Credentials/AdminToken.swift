import Accounts
import ArgumentParser
import Foundation
import Project
import Server
import Settings
import Storage

/// `postern admin-token`: tokens of administrators. Alone it prints a value for `admin.token`. Its subcommands work beside a
/// running server, which applies changes at once.
struct AdminToken: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin-token",
        abstract: "Print a fresh random token for admin.token, or make, list and revoke named tokens.",
        subcommands: [Create.self, List.self, Revoke.self]
    )

    func run() {
        print(Base64URL.encode(ServerEnvironment.systemRandomness(32)))
    }

    /// `postern admin-token create NAME`.
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a named token and print it, this once.",
            discussion: "The store keeps its hash only. Whoever has the token is an administrator within its scopes."
        )

        @OptionGroup var config: ConfigOption
        @Argument(help: "What the audit trail calls its bearer.") var name: String
        @Option(
            help: "What it may be used for: read, users, edit, delete, config or all; more than once for several. Default all."
        )
        var scope: [AdminScopes] = []
        @Option(help: "After how many days it expires. Default: never.") var expires: Int?
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            try await AdminToken.withRegistry(config) { registry in
                let scopes = scope.isEmpty ? AdminScopes.all : scope.reduce(into: []) { $0.formUnion($1) }
                let (record, token) = try await registry.create(name, scopes: scopes, days: expires)
                if json {
                    print(AdminToken.describe(record).merging(["token": .string(token)]).text)
                } else {
                    print(token)
                    let end = record.expiresAt.map { "until \($0.rfc3339)" } ?? "until it is revoked"
                    let allowed = scopes == .all ? "everything" : record.scopes
                    let note = "\(record.name) (\(record.tokenID)) may: \(allowed), \(end). It is shown this once.\n"
                    StandardStream.error.write(note)
                }
            }
        }
    }

    /// `postern admin-token list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the named tokens; the tokens themselves are nowhere.")

        @OptionGroup var config: ConfigOption
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            try await AdminToken.withRegistry(config) { registry in
                let tokens = try await registry.list()
                if json {
                    print(JSONValue.object(["adminTokens": .array(tokens.map(AdminToken.describe))]).text)
                    return
                }
                var table = TextTable(["ID", "NAME", "SCOPES", "STATE", "CREATED", "EXPIRES", "LAST USED"])
                for token in tokens {
                    table.add([
                        token.tokenID, token.name, token.scopes, AdminToken.state(token), token.createdAt.rfc3339,
                        token.expiresAt?.rfc3339, token.lastUsedAt?.rfc3339,
                    ])
                }
                table.show()
            }
        }
    }

    /// `postern admin-token revoke ID`.
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Revoke a token: it opens nothing any more.")

        @OptionGroup var config: ConfigOption
        @Argument(help: "Its id, as the list has it.") var identifier: String
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            try await AdminToken.withRegistry(config) { registry in
                let token = try await registry.revoke(identifier)
                print(json ? AdminToken.describe(token).text : "\(token.name) (\(token.tokenID)): revoked")
            }
        }
    }

    private static func state(_ token: AdminTokenRecord) -> String {
        token.state(at: ServerEnvironment.systemClock()).rawValue
    }

    private static func describe(_ token: AdminTokenRecord) -> JSONValue {
        var members: JSONObject = [
            "id": .string(token.tokenID), "name": .string(token.name), "state": .string(state(token)),
            "scopes": .array(token.scopes.split(separator: " ").map { .string(String($0)) }),
            "createdAt": .string(token.createdAt.rfc3339),
        ]
        members["expiresAt"] = (token.expiresAt?.rfc3339).map(JSONValue.string)
        members["revokedAt"] = (token.revokedAt?.rfc3339).map(JSONValue.string)
        members["lastUsedAt"] = (token.lastUsedAt?.rfc3339).map(JSONValue.string)
        return .object(members)
    }

    private static func withRegistry(_ config: ConfigOption, _ body: (AdminTokenRegistry) async throws -> Void) async throws {
        try await CommandStore.withDatabase(config) { database, environment, settings in
            let context = CallContext.commandLine(projectID: settings.project.id, tenant: nil)
            try await body(AdminTokenRegistry(database: database, environment: environment, context: context))
        }
    }
}

extension AdminScopes: ExpressibleByArgument {
    package init?(argument: String) { self.init(word: argument) }

    package static var allValueStrings: [String] { ["read", "users", "edit", "delete", "config", "all"] }
}
