import Accounts
import ArgumentParser
import HTTPAPI
import Project
import Server
import Storage

extension Users {
    /// `postern users find`.
    struct Find: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Find users by an identity at a provider, or by a part of their name.",
            discussion: """
                A name is looked for in every user in turn, without regard to capitals, so that it takes as long as there are users. \
                Ids, addresses and phone numbers are what `users show` takes.
                """
        )

        @OptionGroup var options: Options
        @Option(help: "The provider, such as google.com; with --provider-id.") var provider: String?
        @Option(help: "The provider's id of the user.") var providerID: String?
        @Option(help: "A part of the name to show.") var name: String?
        @Option(help: "How many at most, by name.") var limit = 100
        @Option(help: "Begin behind this id, by name.") var after: String?

        func validate() throws {
            guard (provider == nil) == (providerID == nil) else {
                throw ValidationError("--provider and --provider-id belong together")
            }
            guard (provider == nil) != (name == nil) else {
                throw ValidationError("either --provider with --provider-id, or --name")
            }
            guard name?.isEmpty != true else { throw ValidationError("--name is empty") }
            guard limit >= 1 else { throw ValidationError("--limit must be at least 1") }
        }

        func run() async throws {
            try await options.work(onlyReads: true) { workplace in
                if let provider, let providerID {
                    let selector = AccountReader.Selector.identity(providerID: provider, rawID: providerID)
                    let reader = workplace.useCases.accounts.reader
                    return UserList(try await reader.accounts([selector], context: workplace.context)).show(options)
                }
                try await list(name ?? "", workplace).show(options)
            }
        }

        private func list(_ name: String, _ workplace: CommandStore.Workplace) async throws -> UserList {
            let bar = ProgressLine()
            defer { bar.end() }
            var (seen, last) = (0, after)
            return try await UserList(limit: limit) {
                let browser = workplace.useCases.operators.browser
                let page = try await browser.search(name: name, after: last, in: workplace.context.scope)
                seen += page.read
                bar.show(nil, "\(seen) users looked at")
                last = page.last
                return (page.found, page.last == nil)
            }
        }
    }

    /// `postern users count`.
    struct Count: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Count the users.")

        @OptionGroup var options: Options

        func run() async throws {
            try await options.work(onlyReads: true) { workplace in
                let count = try await workplace.useCases.operators.search.count(nil, context: workplace.context)
                print(options.json ? JSONValue.object(["users": .integer(count)]).text : "\(count)")
            }
        }
    }
}

/// A list of users of limited length, and where to go on.
struct UserList {
    private var users: [AccountView] = []
    /// The id behind which the rest begins; `nil` when nothing is left.
    private(set) var nextAfter: String?

    /// A whole list.
    init(_ users: [AccountView]) { self.users = users }

    /// Reads pages until the list is full or nothing is left.
    init(limit: Int, page: () async throws -> (users: [AccountView], isLast: Bool)) async throws {
        // One more than the limit shows whether anything is left.
        while users.count <= limit {
            let next = try await page()
            users += next.users
            if next.isLast { break }
        }
        guard users.count > limit else { return }
        users.removeLast(users.count - limit)
        nextAfter = users.last?.account.localID
    }

    /// Prints the list; for people, standard error says how to go on.
    func show(_ options: Users.Options) {
        if options.json {
            var answer: JSONObject = ["users": .array(users.map(UserText.json))]
            answer["nextAfter"] = nextAfter.map(JSONValue.string)
            return print(JSONValue.object(answer).text)
        }
        var table = TextTable(["ID", "EMAIL", "PHONE", "STATE", "PROVIDERS", "CREATED", "LAST SIGN-IN"])
        for view in users {
            let account = view.account
            let providers = UserText.providers(view).joined(separator: ",")
            table.add([
                account.localID, account.email, account.phoneNumber, account.isDisabled ? "disabled" : "enabled",
                providers.isEmpty ? nil : providers, account.createdAt.rfc3339, account.lastLoginAt?.rfc3339,
            ])
        }
        table.show()
        if let nextAfter { StandardError.write("There are more: --after \(TerminalText.printable(nextAfter))") }
    }
}
