/// One-time codes by SMS: sent to a number, redeemed once. Phone sign-in and second factors share them.
package protocol SMSCodes: Sendable {
    /// Sends a code, or answers again for one that was sent a moment ago (`contract/phone-and-mfa.md` §1.1).
    ///
    /// - Parameters:
    ///   - request: To whom, what for, and what proves that a genuine app asks.
    ///   - context: The call, in the scope of the account.
    /// - Returns: `sessionInfo`
    /// - Throws: `APIError` as rows 3 and 5 to 8 of `contract/phone-and-mfa.md` §1 have it.
    func send(_ request: SMSCodeRequest, context: CallContext) async throws -> String

    /// Checks a code and uses its session up.
    ///
    /// - Parameters:
    ///   - sessionInfo: What ``send(_:context:)`` returned.
    ///   - code: What the user typed.
    ///   - purpose: What the code must have been sent for.
    ///   - context: The call, in the scope of the account.
    /// - Returns: The number that is proven, in E.164.
    /// - Throws: `APIError` `INVALID_SESSION_INFO`, `SESSION_EXPIRED`, `INVALID_CODE`.
    func redeem(sessionInfo: String, code: String, for purpose: SMSCodePurpose, context: CallContext) async throws -> String

    /// Checks the code of whatever second factor the session is for, without using it up; a wrong one counts as a try.
    ///
    /// - Parameters: As those of ``redeem(sessionInfo:code:for:context:)``.
    /// - Throws: As there.
    func checkSecondFactor(sessionInfo: String, code: String, context: CallContext) async throws
}

/// What a code is sent for: one sent for one purpose is worthless for another.
package enum SMSCodePurpose: Sendable, Hashable {
    /// Signing in, or linking or changing the number of an account.
    case signIn
    /// Enrolling the number as a second factor of this account.
    case enrollment(localID: String)
    /// Showing this second factor of this account.
    case secondFactor(localID: String, enrollmentID: String)
}

/// Who is to get a code.
package struct SMSCodeRequest: Sendable {
    /// The number as sent; checked by the receiver.
    package var phoneNumber: String?
    package var purpose: SMSCodePurpose
    package var proof: AppProof

    package init(phoneNumber: String?, purpose: SMSCodePurpose, proof: AppProof) {
        self.phoneNumber = phoneNumber
        self.purpose = purpose
        self.proof = proof
    }
}

/// What shows that a genuine app or page asks for an SMS (`contract/phone-and-mfa.md` §1); absent and empty are the same.
package struct AppProof: Sendable {
    package var recaptchaToken: String?
    package var iosReceipt: String?
    package var iosSecret: String?
    package var playIntegrityToken: String?
    package var safetyNetToken: String?
    /// Token of reCAPTCHA Enterprise; `NO_RECAPTCHA` says that there is none.
    package var captchaResponse: String?
    package var clientType: String?
    package var recaptchaVersion: String?
    /// Eleven characters that Android's SMS Retriever looks for at the end of the message.
    package var appSignatureHash: String?
    /// `X-Ios-Bundle-Identifier`
    package var bundleIdentifier: String?

    package init() {}
}
