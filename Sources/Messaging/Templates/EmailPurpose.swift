/// What a message is for: each has a text of its own in every language.
package enum EmailPurpose: String, Sendable, CaseIterable, Codable, CodingKeyRepresentable {
    case passwordReset
    case verifyEmail
    case emailSignIn
    /// To the new address, before a change.
    case verifyAndChangeEmail
    /// To the old address, after a change; its link takes the change back.
    case recoverEmail
    /// After a second factor was added; its link removes it.
    case secondFactorAdded
    /// After a way in was added or taken away; its link ends sessions and takes back what was added.
    case accountChanged

    /// The member of `notification.sendEmail` that customises it (`contract/admin-config.md` §3); `nil` where there is none.
    package var configurationKey: String? {
        switch self {
        case .passwordReset: "resetPasswordTemplate"
        case .verifyEmail: "verifyEmailTemplate"
        case .recoverEmail: "changeEmailTemplate"
        case .secondFactorAdded: "revertSecondFactorAdditionTemplate"
        case .emailSignIn, .verifyAndChangeEmail, .accountChanged: nil
        }
    }
}
