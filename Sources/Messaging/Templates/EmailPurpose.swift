/// What a message is for: each has a text of its own in every language.
package enum EmailPurpose: String, Sendable, CaseIterable, Codable, CodingKeyRepresentable {
    case passwordReset
    case verifyEmail
    case emailSignIn
    /// To the new address, before a change of address.
    case verifyAndChangeEmail
    /// To the old address, after a change of address. Its link reverts the change.
    case recoverEmail
    /// After a second factor was added; its link removes it.
    case secondFactorAdded
    /// After a sign-in method was added or removed. Its link ends sessions and removes the added method.
    case accountChanged
    /// To somebody who is to be an operator of the console. Its link makes the reader one.
    case operatorInvitation

    /// The member of `notification.sendEmail` that customises the message (`Docs/Contract/admin-config.md` §3); `nil` when none
    /// does.
    package var configurationKey: String? {
        switch self {
        case .passwordReset: "resetPasswordTemplate"
        case .verifyEmail: "verifyEmailTemplate"
        case .recoverEmail: "changeEmailTemplate"
        case .secondFactorAdded: "revertSecondFactorAdditionTemplate"
        case .emailSignIn, .verifyAndChangeEmail, .accountChanged, .operatorInvitation: nil
        }
    }
}
