import Messaging

/// Codes by e-mail and SMS.
package struct CodeUseCases: Sendable {
    package let send: SendOOBCode
    package let application: CodeApplication
    package let passwordReset: PasswordReset
    package let emailActions: EmailActions
    package let sms: SMSCodeService
    package let smsTest: SMSTest
    package let mailTest: MailTest
    package let phoneSender: PhoneCodeSender
    package let iosVerification: IOSAppVerification

    init(_ ground: Ground, _ parts: SharedParts, push: APNsClient?) {
        send = SendOOBCode(
            ground: ground,
            mail: parts.mail,
            recaptcha: parts.recaptcha,
            continueURLs: parts.continueURLs
        )
        application = CodeApplication(ground: ground, credentials: parts.credentials)
        passwordReset = PasswordReset(ground: ground, hasher: parts.hasher, notices: parts.notices)
        emailActions = EmailActions(ground: ground, reset: passwordReset, application: application, send: send)
        sms = parts.smsCodes
        mailTest = MailTest(ground: ground, mailer: parts.mail.mailer, publicURL: parts.continueURLs.publicURL)
        smsTest = SMSTest(ground: ground, messages: parts.smsCodes.messages)
        phoneSender = PhoneCodeSender(ground: ground, codes: parts.smsCodes)
        iosVerification = IOSAppVerification(ground: ground, push: push)
    }
}
