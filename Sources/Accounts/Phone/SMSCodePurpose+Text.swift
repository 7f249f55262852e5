import Project

extension SMSCodePurpose {
    /// The stored form, different for each purpose.
    var text: String {
        switch self {
        case .signIn: "signIn"
        case .enrollment(let localID, let generation): "enrollment:\(generation):\(localID.utf8.count):\(localID)"
        case .secondFactor(let localID, let enrollmentID, let generation):
            "secondFactor:\(generation):\(localID.utf8.count):\(localID):\(enrollmentID)"
        }
    }

    /// Whether a stored form is that of ``secondFactor(localID:enrollmentID:generation:)``.
    static func isSecondFactor(_ text: String) -> Bool { text.hasPrefix("secondFactor:") }

    /// The action that a reCAPTCHA token must have been made for (`Docs/Contract/client-accounts.md` §16).
    var recaptchaAction: RecaptchaAction {
        switch self {
        case .signIn: .sendVerificationCode
        case .enrollment: .mfaSMSEnrollment
        case .secondFactor: .mfaSMSSignIn
        }
    }
}
