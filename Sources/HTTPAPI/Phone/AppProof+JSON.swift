import Accounts
import Project

extension AppProof {
    /// Reads the members by which apps prove themselves (`contract/phone-and-mfa.md` §1). The bundle id is a header: the handler
    /// takes it from the call.
    ///
    /// - Throws: `TransportError` for members of the wrong shape.
    init(_ body: ProtoObject) throws {
        self.init()
        recaptchaToken = try body.text("recaptchaToken")
        iosReceipt = try body.text("iosReceipt")
        iosSecret = try body.text("iosSecret")
        playIntegrityToken = try body.text("playIntegrityToken")
        safetyNetToken = try body.text("safetyNetToken")
        let answer = try RecaptchaAnswer(body)
        captchaResponse = answer.token
        clientType = answer.clientType
        recaptchaVersion = answer.version
        appSignatureHash = try body.object("autoRetrievalInfo")?.text("appSignatureHash")
    }
}

extension RecaptchaAnswer {
    // `contract/conventions.md` §3, in index order.
    private static let clientTypes = [
        "CLIENT_TYPE_UNSPECIFIED", "CLIENT_TYPE_WEB", "CLIENT_TYPE_ANDROID", "CLIENT_TYPE_IOS",
    ]
    private static let versions = ["RECAPTCHA_VERSION_UNSPECIFIED", "RECAPTCHA_ENTERPRISE"]

    /// Reads the members of reCAPTCHA Enterprise (`contract/client-accounts.md` §16).
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - token: The member that holds the token.
    /// - Throws: `TransportError` for members of the wrong shape.
    init(_ body: ProtoObject, token: String = "captchaResponse") throws {
        // What is no version is only wrong where reCAPTCHA is demanded.
        let version = try body.string("recaptchaVersion")
        self.init(
            token: try body.text(token),
            clientType: try body.value("clientType") == "" ? nil : body.enumeration("clientType", of: Self.clientTypes),
            version: (try? body.enumeration("recaptchaVersion", of: Self.versions)) ?? version
        )
    }
}
