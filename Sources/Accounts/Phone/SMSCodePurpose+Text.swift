import Project

extension SMSCodePurpose {
    /// The stored form, which no two purposes share.
    var text: String {
        switch self {
        case .signIn: "signIn"
        case .enrollment(let localID, let generation): "enrollment:\(generation):\(localID.utf8.count):\(localID)"
        case .secondFactor(let localID, let enrollmentID, let generation):
            "secondFactor:\(generation):\(localID.utf8.count):\(localID):\(enrollmentID)"
        }
    }

    /// Whether a stored form is that of ``secondFactor(localID:enrollmentID:)``.
    static func isSecondFactor(_ text: String) -> Bool { text.hasPrefix("secondFactor:") }

    /// What a token of reCAPTCHA must have been made for (`contract/client-accounts.md` §16).
    var recaptchaAction: RecaptchaAction {
        switch self {
        case .signIn: .sendVerificationCode
        case .enrollment: .mfaSMSEnrollment
        case .secondFactor: .mfaSMSSignIn
        }
    }
}
