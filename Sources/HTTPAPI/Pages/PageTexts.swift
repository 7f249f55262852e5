import HTTPTypes
import Messaging
import Passwords
import Project

/// The texts of the e-mail action pages in one language.
///
/// Closures receive values that are escaped HTML; all other texts are plain text.
struct PageTexts: TranslatedTexts, Sendable {
    /// The texts of one type of link.
    struct Action: Sendable {
        let title: String
        /// The question before the action.
        let lead: @Sendable (_ email: String) -> String
        let button: String
        let done: @Sendable (_ email: String) -> String
    }

    /// A page without a form.
    struct Message: Sendable {
        let title: String
        let text: String
    }

    /// The requirements for a password.
    struct Requirements: Sendable {
        let minimumLength: @Sendable (Int) -> String
        let maximumLength: @Sendable (Int) -> String
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
    let notAvailable: Message
    let tooManyAttempts: Message
    let foreignForm: Message
    let failure: Message

    /// A rule of the password policy, in words.
    func text(_ requirement: PasswordPolicy.Violation) -> String {
        switch requirement {
        case .minimumLength(let length): requirements.minimumLength(length)
        case .maximumLength(let length): requirements.maximumLength(length)
        case .missingLowercase: requirements.lowercase
        case .missingUppercase: requirements.uppercase
        case .missingNumeric: requirements.digit
        case .missingNonAlphanumeric: requirements.symbol
        }
    }

    /// The message for an error.
    func problem(_ error: any Error) -> Message {
        switch error {
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
