package import Accounts

/// The use cases of phone sign-in.
package struct PhoneServices: Sendable {
    /// Codes by SMS, including those of second factors.
    package let codes: SMSCodeService
    package let codeSender: PhoneCodeSender
    package let signIn: PhoneSignIn
    package let iosVerification: IOSAppVerification
    /// The tokens that replace reCAPTCHA on the page that iOS apps open.
    package let verificationTokens: AppVerificationTokens
    /// `recaptcha.siteKey`
    package let recaptchaSiteKey: String?

    package init(
        codes: SMSCodeService,
        codeSender: PhoneCodeSender,
        signIn: PhoneSignIn,
        iosVerification: IOSAppVerification,
        verificationTokens: AppVerificationTokens,
        recaptchaSiteKey: String?
    ) {
        self.codes = codes
        self.codeSender = codeSender
        self.signIn = signIn
        self.iosVerification = iosVerification
        self.verificationTokens = verificationTokens
        self.recaptchaSiteKey = recaptchaSiteKey
    }
}
