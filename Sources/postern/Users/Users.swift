import Accounts
import ArgumentParser
import Project
import Server
import Storage

/// `postern users`: the accounts, with the use cases of the API. Works beside a running server.
struct Users: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List, find, make, change, delete and move user accounts.",
        subcommands: [
            List.self, Show.self, Find.self, Count.self, Create.self, Update.self, SetPassword.self, SetClaims.self,
            Disable.self, Enable.self, Unlock.self, Delete.self, Sessions.self, Revoke.self, Import.self, Export.self,
        ]
    )

    struct Options: ParsableArguments {
        @OptionGroup var config: ConfigOption
        @Option(help: "The tenant; without it, the project's own users.") var tenant: String?
        @Flag(help: "Print JSON.") var json = false

        func work(onlyReads: Bool = false, _ body: (CommandStore.Workplace) async throws -> Void) async throws {
            try await CommandStore.withUseCases(config, tenant: tenant, onlyReads: onlyReads, body)
        }

        /// Prints a result: a line for people, or the account for scripts.
        func report(_ view: AccountView, _ outcome: String) {
            print(json ? UserText.json(view).text : "\(TerminalText.printable(UserText.name(view))): \(outcome)")
        }
    }
}

/// Accounts in the form for operators, without hashes and secrets.
enum UserText {
    /// The id, and the address if there is one.
    static func name(_ view: AccountView) -> String {
        let account = view.account
        return account.email.map { "\(account.localID) (\($0))" } ?? account.localID
    }

    /// The sign-in methods of the account.
    static func providers(_ view: AccountView) -> [String] {
        let account = view.account
        return view.identities.map(\.providerID) + (account.passwordHash == nil ? [] : ["password"])
            + (account.hasEmailLinkSignIn ? ["emailLink"] : []) + (account.phoneNumber == nil ? [] : ["phone"])
    }

    /// The whole account, for scripts. Members without a value are left out.
    static func json(_ view: AccountView) -> JSONValue {
        let account = view.account
        var members: JSONObject = [
            "localId": .string(account.localID), "disabled": .bool(account.isDisabled),
            "createdAt": .string(account.createdAt.rfc3339), "providers": .array(providers(view).map(JSONValue.string)),
            "secondFactors": .integer(Int64(account.secondFactors.count)),
        ]
        members["tenantId"] = view.scope.tenantID.map(JSONValue.string)
        members["email"] = account.email.map(JSONValue.string)
        members["emailVerified"] = account.emailVerified.map(JSONValue.bool)
        members["phoneNumber"] = account.phoneNumber.map(JSONValue.string)
        members["displayName"] = account.displayName.map(JSONValue.string)
        members["photoUrl"] = account.photoURL.map(JSONValue.string)
        members["customAttributes"] = account.customAttributes.map(JSONValue.string)
        members["lastLoginAt"] = (account.lastLoginAt?.rfc3339).map(JSONValue.string)
        members["validSince"] = account.validSince.map { .string(Timestamp(seconds: $0).rfc3339) }
        return .object(members)
    }
}
