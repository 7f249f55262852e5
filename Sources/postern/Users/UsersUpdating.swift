import Accounts
import ArgumentParser
import HTTPAPI
import Project
import Server
import Storage

extension Users {
    /// `postern users set-claims USER JSON`.
    struct SetClaims: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Replace a user's custom claims.",
            discussion: """
                ID tokens have them from the next one on. {} removes all. Names that tokens use themselves, such as sub, are refused.
                """
        )

        @OptionGroup var options: Options
        @Argument(help: "Id, e-mail address, or phone number.") var user: String
        @Argument(help: #"The claims as a JSON object, such as {"role":"editor"}."#) var claims: String

        func run() async throws {
            try await Users.request(user, options, "claims set") { [claims] in
                // The API takes an empty text as none; here it is a slip of the caller's.
                guard !claims.isEmpty else { throw APIError(.invalidClaims) }
                $0.customAttributes = claims
            }
        }
    }

    /// `postern users set-password USER`.
    struct SetPassword: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set a user's password, read from standard input: one line. The sessions end."
        )

        @OptionGroup var options: Options
        @Argument(help: "Id, e-mail address, or phone number.") var user: String

        func run() async throws {
            let password = try PasswordInput.line()
            try await Users.request(user, options, "password set") { $0.changes.password = password }
        }
    }

    /// `postern users update USER`.
    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change a user's address, number, name or picture.",
            discussion: "What is not named stays. An empty value removes, as in --phone ''. A new address ends the sessions."
        )

        @OptionGroup var options: Options
        @Argument(help: "Id, e-mail address, or phone number.") var user: String
        @Option(help: "The e-mail address. A new one counts as not verified unless --verified says otherwise.") var email: String?
        @Flag(inversion: .prefixedNo, help: "Whether the address is known to be the user's.") var verified: Bool?
        @Option(help: "The phone number, as +15551234567.") var phone: String?
        @Option(help: "The name to show.") var displayName: String?
        @Option(help: "The address of a picture.") var photoURL: String?

        func validate() throws {
            guard email != nil || verified != nil || phone != nil || displayName != nil || photoURL != nil else {
                throw ValidationError("nothing is to be changed")
            }
            try ProfileText.check(displayName, of: "--display-name", atMost: ProfileLimits.displayName)
            try ProfileText.check(photoURL, of: "--photo-url", atMost: ProfileLimits.photoURL)
        }

        func run() async throws {
            try await Users.request(user, options, "updated") { request in
                if email?.isEmpty == true {
                    request.changes.deletedAttributes.append(.email)
                } else {
                    request.changes.email = email
                }
                if phone?.isEmpty == true {
                    request.changes.deletedProviders.append("phone")
                } else {
                    request.admin.phoneNumber = phone
                }
                request.admin.emailVerified = verified
                request.changes.displayName = displayName
                request.changes.photoURL = photoURL
            }
        }
    }

    private static func request(
        _ user: String,
        _ options: Options,
        _ outcome: String,
        _ edit: (inout RequestedUpdate.Request) throws -> Void
    ) async throws {
        var request = RequestedUpdate.Request()
        do { try edit(&request) } catch let refusal as APIError { throw CommandFailure(RefusalText.text(refusal)) }
        try await options.work { [request] workplace in
            var request = request
            request.localID = try await workplace.account(user).account.localID
            let result = try await workplace.useCases.accounts.requestedUpdate.apply(request, context: workplace.context)
            options.report(result.view, outcome)
        }
    }
}

/// The bounds that requests have for the texts of a profile.
enum ProfileText {
    static func check(_ text: String?, of option: String, atMost length: Int) throws {
        guard let text else { return }
        guard text.unicodeScalars.count <= length else {
            throw ValidationError("\(option) must not have more than \(length) characters")
        }
        guard StreamSafety.holds(for: text) else {
            throw ValidationError("\(option) has more than \(StreamSafety.maximumMarks) combining marks in a row")
        }
    }
}
