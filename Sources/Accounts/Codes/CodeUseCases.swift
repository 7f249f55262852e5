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
}
