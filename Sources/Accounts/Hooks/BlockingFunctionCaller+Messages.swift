import Project
import Storage

// The questions to functions before a message is sent (`Docs/Contract/admin-config.md` §10.2).
extension BlockingFunctionCaller {
    /// Asks `beforeSendEmail`, for the types that have it. It is also asked for unknown addresses, so that the time of the answer
    /// does not reveal them.
    ///
    /// - Parameter email: Nothing is asked for a text that is not an address.
    func askBeforeEmail(_ type: OOBRequestType, to email: String?, policy: SignInPolicy, context: CallContext) async throws {
        let types: [OOBRequestType: String] = [.emailSignIn: "EMAIL_SIGN_IN", .passwordReset: "PASSWORD_RESET"]
        guard let name = types[type], let email = email.flatMap(EmailAddress.canonical) else { return }
        let claims: JSONObject = ["email": .string(email), "email_type": .string(name)]
        _ = try await ask(.beforeSendEmail, of: policy.blockingFunctions, claims, context: context)
    }

    /// Asks `beforeSendSms`.
    ///
    /// - Parameter number: In E.164.
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
