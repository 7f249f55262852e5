package import Storage

extension SendOOBCode {
    /// The client's request.
    package struct Request: Sendable {
        package var type: OOBRequestType
        package var email: String?
        package var newEmail: String?
        package var idToken: String?
        package var continueURL: String?
        package var canHandleCodeInApp = false
        package var app = OOBLink.App()
        /// `linkDomain`, as sent.
        package var linkDomain: String?
        /// Whether the request has iOS or Android fields besides the app's id.
        package var describesIOSApp = false
        package var describesAndroidApp = false
        /// `dynamicLinkDomain`, as sent. The service behind it was shut down.
        package var dynamicLinkDomain: String?
        /// Whether an administrator gets the link instead of the user.
        package var returnsLink = false
        /// The reCAPTCHA fields of the call.
        package var captcha = RecaptchaAnswer(token: nil, clientType: nil, version: nil)

        package init(type: OOBRequestType) { self.type = type }
    }

    package struct Result: Sendable {
        package let email: String
        /// The code and link, if the request asked for them.
        package var code: String?
        package var link: String?
    }
}
