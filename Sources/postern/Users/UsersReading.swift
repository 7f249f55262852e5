import Accounts
import ArgumentParser
import HTTPAPI
import Project
import Server
import Storage

extension Users {
    /// `postern users list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List users in the order of their ids.")

        @OptionGroup var options: Options
        @Option(help: "How many at most.") var limit = 100
        @Option(help: "Begin behind this id.") var after: String?

        func validate() throws {
            guard limit >= 1 else { throw ValidationError("--limit must be at least 1") }
        }

        func run() async throws {
            try await options.work(onlyReads: true) { workplace in
                let wanted = min(limit, AccountBrowser.maximumPage - 1) + 1
                var last = after
                let list = try await UserList(limit: limit) {
                    let page = try await workplace.useCases.operators.browser.page(
                        after: last,
                        limit: wanted,
                        in: workplace.context.scope
                    )
                    last = page.last?.account.localID
                    return (page, page.count < wanted)
                }
                list.show(options)
            }
        }
    }

    /// `postern users show USER`.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show one user.")

        @OptionGroup var options: Options
        @Argument(help: "Id, e-mail address, or phone number.") var user: String

        func run() async throws {
            try await options.work(onlyReads: true) { workplace in
                let json = UserText.json(try await workplace.account(user))
                if options.json { return print(json.text) }
                var table = TextTable(["FIELD", "VALUE"])
                for (name, value) in (json.object ?? [:]).sorted(by: { $0.key < $1.key }) {
                    let listed = value.array?.compactMap(\.string).joined(separator: ",")
                    table.add([name.text, value.string ?? listed ?? value.text])
                }
                table.show()
            }
        }
    }

    /// `postern users sessions USER`.
    struct Sessions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List a user's live sessions, the last used first.")

        @OptionGroup var options: Options
        @Argument(help: "Id, e-mail address, or phone number.") var user: String

        func run() async throws {
            try await options.work(onlyReads: true) { workplace in
                let localID = try await workplace.account(user).account.localID
                let browser = workplace.useCases.operators.browser
                let sessions = try await browser.sessions(of: localID, in: workplace.context.scope)
                if options.json {
                    return print(JSONValue.object(["sessions": .array(sessions.map(Self.json))]).text)
                }
                var table = TextTable(["ID", "PROVIDER", "SIGNED IN", "LAST USED", "CLIENT"])
                for session in sessions {
                    table.add([
                        session.sessionID, session.signInProvider, Timestamp(seconds: session.authTime).rfc3339,
                        session.lastUsedAt.rfc3339, session.userAgent,
                    ])
                }
                table.show()
            }
        }

        private static func json(_ session: SessionRecord) -> JSONValue {
            var members: JSONObject = [
                "id": .string(session.sessionID), "provider": .string(session.signInProvider),
                "signedInAt": .string(Timestamp(seconds: session.authTime).rfc3339),
                "lastUsedAt": .string(session.lastUsedAt.rfc3339),
            ]
            members["userAgent"] = session.userAgent.map(JSONValue.string)
            members["secondFactor"] = (session.secondFactor?.kind).map(JSONValue.string)
            return .object(members)
        }
    }
}
