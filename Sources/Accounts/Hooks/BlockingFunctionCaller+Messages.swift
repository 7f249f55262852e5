import Project
import Storage

// What is asked before a message leaves (`contract/admin-config.md` §10.2).
extension BlockingFunctionCaller {
    /// Asks `beforeSendEmail`, for the types that have it. It is asked about unknown addresses, too: the time that it takes must not
    /// tell them apart.
    ///
    /// - Parameters:
    ///   - type: What the mail is for.
    ///   - email: The address; one that is none is not asked about.
    ///   - policy: The scope's rules.
    ///   - context: The call.
    /// - Throws: `APIError` when the mail must not be sent.
    func askBeforeEmail(_ type: OOBRequestType, to email: String?, policy: SignInPolicy, context: CallContext) async throws {
        let types: [OOBRequestType: String] = [.emailSignIn: "EMAIL_SIGN_IN", .passwordReset: "PASSWORD_RESET"]
        guard let name = types[type], let email = email.flatMap(EmailAddress.canonical) else { return }
        let claims: JSONObject = ["email": .string(email), "email_type": .string(name)]
        _ = try await ask(.beforeSendEmail, of: policy.blockingFunctions, claims, context: context)
    }

    /// Asks `beforeSendSms`.
    ///
    /// - Parameters:
    ///   - purpose: What the code is for.
    ///   - number: Whose phone, in E.164.
    ///   - policy: The scope's rules.
    ///   - context: The call.
    /// - Throws: `APIError` when the message must not be sent.
    func askBeforeSMS(_ purpose: SMSCodePurpose, to number: String, policy: SignInPolicy, context: CallContext) async throws {
        let type =
            switch purpose {
            case .signIn: "SIGN_IN_OR_SIGN_UP"
            case .enrollment: "MULTI_FACTOR_ENROLLMENT"
            case .secondFactor: "MULTI_FACTOR_SIGN_IN"
            }
        let claims: JSONObject = ["phone_number": .string(number), "sms_type": .string(type)]
        _ = try await ask(.beforeSendSMS, of: policy.blockingFunctions, claims, context: context)
    }
}
