import Accounts
import ArgumentParser
import Console
import Foundation
import Project
import Storage

/// `postern console`: the operators of the console. Works beside a running server.
struct ConsoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "console",
        abstract: "Invite, list and remove the operators of the console.",
        subcommands: [Invite.self, List.self, Remove.self]
    )

    /// `postern console invite EMAIL`.
    struct Invite: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a link that makes an operator, once, within 30 minutes.",
            discussion: """
                An operator who exists gets new factors by it: the old ones are removed and all sessions end. This is also the way back for \
                who has lost every factor.
                """
        )

        @OptionGroup var config: ConfigOption
        @Argument(help: "The operator's e-mail address.") var email: String
        @Option(help: "What the operator may do: owner, administrator, support or viewer.") var role: OperatorRole = .viewer
        @Option(help: "The one tenant to work in. Default: all, and the project itself.") var tenant: String?
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            try await ConsoleCommand.work(config) { workplace in
                let code = try await workplace.useCases.console.invitations.invite(
                    email,
                    role: role,
                    tenantID: tenant,
                    actor: workplace.context.actor
                )
                let link = ConsoleSite.invitationLink(code: code, url: workplace.consoleURL)
                print(json ? JSONValue.object(["link": .string(link)]).text : link)
            }
        }
    }

    /// `postern console list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the operators.")

        @OptionGroup var config: ConfigOption
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            try await ConsoleCommand.work(config, onlyReads: true) { workplace in
                let operators = try await workplace.useCases.console.directory.all()
                if json {
                    let list = operators.map { record -> JSONValue in
                        [
                            "id": .string(record.operatorID), "email": .string(record.email), "role": .string(record.role),
                            "tenant": record.tenantID.map(JSONValue.string) ?? .null,
                            "lastSignInAt": (record.lastSignInAt?.rfc3339).map(JSONValue.string) ?? .null,
                        ]
                    }
                    print(JSONValue.object(["operators": .array(list)]).text)
                    return
                }
                var table = TextTable(["ID", "EMAIL", "ROLE", "TENANT", "LAST SIGN-IN"])
                for record in operators {
                    table.add([
                        record.operatorID, TerminalText.printable(record.email), record.role, record.tenantID,
                        record.lastSignInAt?.rfc3339,
                    ])
                }
                table.show()
            }
        }
    }

    /// `postern console remove EMAIL`.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove an operator; all sessions and passkeys go.")

        @OptionGroup var config: ConfigOption
        @OptionGroup var confirmation: Confirmation
        @Argument(help: "The operator's e-mail address.") var email: String

        func run() async throws {
            try confirmation.requireWayToAsk()
            try await ConsoleCommand.work(config) { workplace in
                let directory = workplace.useCases.console.directory
                guard let record = try await directory.all().first(where: { $0.email == email.lowercased() }) else {
                    throw OperatorError.unknownOperator
                }
                try confirmation.ask("Remove \(TerminalText.printable(record.email))")
                try await directory.remove(record.operatorID, actor: workplace.context.actor)
                print("\(TerminalText.printable(record.email)): removed")
            }
        }
    }

    private static func work(
        _ config: ConfigOption,
        onlyReads: Bool = false,
        _ body: (CommandStore.Workplace) async throws -> Void
    ) async throws {
        try await CommandStore.withUseCases(config, tenant: nil, onlyReads: onlyReads) { workplace in
            do { try await body(workplace) } catch let error as OperatorError { throw CommandFailure(sentence(error)) }
        }
    }

    private static func sentence(_ error: OperatorError) -> String {
        switch error {
        case .invalidEmail: "this is not an e-mail address"
        case .invalidTenant: "there is no such tenant, or the role cannot be bound to one"
        case .lastOwner: "one owner must remain"
        case .unknownOperator: "there is no such operator"
        case .tooMany: "there are too many operators or open invitations"
        default: "the console refuses this: \(error)"
        }
    }
}

extension OperatorRole: ExpressibleByArgument {}
