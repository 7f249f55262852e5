import Accounts
import ArgumentParser

extension Users {
    /// `postern users unlock USER`.
    struct Unlock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End a user's wait after wrong passwords or wrong codes.",
            discussion: "Counts of all addresses against the user are forgotten. Limits of single addresses stay."
        )

        @OptionGroup var options: Options
        @Argument(help: "Id, e-mail address, or phone number.") var user: String

        func run() async throws {
            try await options.work { workplace in
                let view = try await workplace.account(user)
                let wasCounted = try await workplace.useCases.operators.unlocking.unlock(view.account, context: workplace.context)
                options.report(view, wasCounted ? "unlocked" : "nothing was counted against the user")
            }
        }
    }
}
