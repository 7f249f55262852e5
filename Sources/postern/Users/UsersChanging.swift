import Accounts
import ArgumentParser
import HTTPAPI
import Project
import Server
import Storage

extension Users {
    /// `postern users create`.
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Make a user.")

        @OptionGroup var options: Options
        @Option(help: "The id; a random one if left out.") var id: String?
        @Option(help: "The e-mail address.") var email: String?
        @Flag(help: "The address is known to be the user's.") var verified = false
        @Flag(help: "Read the password from standard input: one line.") var passwordStdin = false
        @Option(help: "The phone number, as +15551234567.") var phone: String?
        @Option(help: "The name to show.") var displayName: String?

        func validate() throws {
            try ProfileText.check(displayName, of: "--display-name", atMost: ProfileLimits.displayName)
        }

        func run() async throws {
            var request = AccountCreation.Request()
            request.localID = id
            request.email = email
            request.emailVerified = email == nil ? nil : verified
            request.phoneNumber = phone
            request.displayName = displayName
            if passwordStdin { request.password = try PasswordInput.line() }
            try await options.work { [request] workplace in
                let account = try await workplace.useCases.operators.creation.create(request, context: workplace.context)
                options.report(try await workplace.account(account.localID), "created")
            }
        }
    }

    /// `postern users disable USER`.
    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Keep a user out; the sessions end.")

        @OptionGroup var options: Options
        @Argument(help: "Id, e-mail address, or phone number.") var user: String

        func run() async throws { try await Users.change(user, options, "disabled") { $0.isDisabled = true } }
    }

    /// `postern users enable USER`.
    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Let a disabled user in again.")

        @OptionGroup var options: Options
        @Argument(help: "Id, e-mail address, or phone number.") var user: String

        func run() async throws { try await Users.change(user, options, "enabled") { $0.isDisabled = false } }
    }

    /// `postern users revoke USER`.
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End all sessions of a user, or one of them.",
            discussion: """
                Refresh tokens die at once, and ID tokens for Postern. Other servers refuse ID tokens that they check for revocation if
                all sessions end; those of a single session they take until they expire.
                """
        )

        @OptionGroup var options: Options
        @Argument(help: "Id, e-mail address, or phone number.") var user: String
        @Option(help: "End this session only; `users sessions` lists them.") var session: String?

        func run() async throws {
            guard let session else {
                return try await Users.change(user, options, "sessions revoked") { $0.validSince = .now }
            }
            try await options.work { workplace in
                let view = try await workplace.account(user)
                guard try await workplace.sessionEnding.end(session, of: view.account.localID, context: workplace.context) else {
                    throw CommandFailure("the user has no live session \(TerminalText.printable(session))")
                }
                options.report(view, "session \(TerminalText.printable(session)) revoked")
            }
        }
    }

    /// `postern users delete USER`.
    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete a user for good.")

        @OptionGroup var options: Options
        @OptionGroup var confirmation: Confirmation
        @Argument(help: "Id, e-mail address, or phone number.") var user: String

        func run() async throws {
            try confirmation.requireWayToAsk()
            try await options.work { workplace in
                let view = try await workplace.account(user)
                try confirmation.ask("Delete \(TerminalText.printable(UserText.name(view)))")
                let selection = AccountSelection.localID(view.account.localID, view.scope)
                try await workplace.useCases.accounts.deletion.delete(selection, context: workplace.context)
                options.report(view, "deleted")
            }
        }
    }

    private static func change(
        _ user: String,
        _ options: Options,
        _ outcome: String,
        _ edit: (inout AccountUpdate.Changes) -> Void
    ) async throws {
        var changes = AccountUpdate.Changes()
        edit(&changes)
        try await options.work { [changes] workplace in
            let found = try await workplace.account(user)
            let result = try await workplace.useCases.accounts.update.apply(
                changes,
                of: .localID(found.account.localID, found.scope),
                context: workplace.context
            )
            options.report(result.view, outcome)
        }
    }
}
