import HTTPTypes
import Messaging
import Passwords
import Project
import Storage

/// The texts of the pages in one language, as `Texts/LANGUAGE.json` has them: plain text without markup.
struct PageTexts: TranslatedTexts {
    /// What one kind of link does.
    struct Action: Decodable, Sendable {
        let title: String
        /// Asks before it acts.
        let lead: Sentence
        let button: String
        let done: Sentence
    }

    /// A text with places for an address, each `{{email}}`.
    struct Sentence: Decodable, Sendable {
        private let parts: [Substring]

        init(from decoder: any Decoder) throws {
            let text = try decoder.singleValueContainer().decode(String.self)
            parts = text.split(separator: "{{email}}", omittingEmptySubsequences: false)
        }

        /// The text with an address, which is isolated so that it is shown correctly in texts of the other direction.
        func html(_ email: String?) -> HTML {
            .several(Array(parts.map { [.text(String($0))] }.joined(separator: [HTML("bdi", email ?? "")])))
        }
    }

    /// A page that asks for nothing.
    struct Message: Decodable, Sendable {
        let title: String
        let text: String
    }

    /// What a password must have.
    struct Requirements: Decodable, Sendable {
        /// Of a `length`.
        let minimumLength: TextTemplate
        let maximumLength: TextTemplate
        let lowercase: String
        let uppercase: String
        let digit: String
        let symbol: String
    }

    /// `ltr` or `rtl`.
    let direction: String
    let resetPassword: Action
    let verifyEmail: Action
    let changeEmail: Action
    let recoverEmail: Action
    /// The texts for the link in a notice of changed ways to sign in.
    let secureAccount: Action
    let removeSecondFactor: Action
    let signIn: Message
    /// The offer of a new password after an address was restored.
    let offerReset: Action
    /// The text before the list of what a reset removed.
    let removedLead: String
    let passkeys: String
    let phoneNumber: String
    let newPassword: String
    let requirements: Requirements
    let requirementsLead: String
    let unmetLead: String
    let next: String
    let invalidLink: Message
    let incompleteLink: Message
    let openInApp: Message
    let disabledAccount: Message
    let addressTaken: Message
    /// The end of a recovery that cannot restore the address yet.
    let addressHeld: Message
    let notAvailable: Message
    let tooManyAttempts: Message
    let foreignForm: Message
    let failure: Message
    let handler: HandlerTexts

    private static let all = Result { try Translations<PageTexts>() }

    static func of(_ language: EmailLanguage) throws -> PageTexts { try all.get().of(language) }

    static func file(_ language: EmailLanguage) -> [UInt8] {
        switch language {
        case .english: PackageResources.en_json
        case .french: PackageResources.fr_json
        case .spanish: PackageResources.es_json
        case .german: PackageResources.de_json
        case .japanese: PackageResources.ja_json
        case .chinese: PackageResources.zh_json
        case .arabic: PackageResources.ar_json
        case .bengali: PackageResources.bn_json
        }
    }

    /// A rule of the password policy, in words.
    func text(_ requirement: PasswordPolicy.Violation) -> String {
        switch requirement {
        case .minimumLength(let length): requirements.minimumLength.render(["length": String(length)])
        case .maximumLength(let length): requirements.maximumLength.render(["length": String(length)])
        case .missingLowercase: requirements.lowercase
        case .missingUppercase: requirements.uppercase
        case .missingNumeric: requirements.digit
        case .missingNonAlphanumeric: requirements.symbol
        }
    }

    func problem(_ error: any Error, of type: OOBRequestType? = nil) -> Message {
        switch error {
        case let error as APIError where error.code == .emailExists && type == .recoverEmail: addressHeld
        case let error as APIError: problem(error.code)
        case PageError.foreignForm: foreignForm
        case PageError.incompleteLink: incompleteLink
        case PageError.onlyForApps: openInApp
        case let error as TransportError where error.status.kind == .clientError: incompleteLink
        default: failure
        }
    }

    private func problem(_ code: ErrorCode) -> Message {
        switch code {
        case .userDisabled: disabledAccount
        case .emailExists: addressTaken
        case .passwordLoginDisabled, .operationNotAllowed, .projectDisabled, .invalidSender, .invalidRecipientEmail: notAvailable
        case .tooManyAttemptsTryLater: tooManyAttempts
        case .missingOOBCode, .invalidTenantID, .invalidReqType: incompleteLink
        default: invalidLink
        }
    }
}
