import Accounts
import Project

extension AppProof {
    /// Reads the proof of an app (`Docs/Contract/phone-and-mfa.md` §1). The bundle id is a header, so the endpoint takes it from
    /// the call.
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
    // The enums of `Docs/Contract/conventions.md` §3, in index order.
    private static let clientTypes = [
        "CLIENT_TYPE_UNSPECIFIED", "CLIENT_TYPE_WEB", "CLIENT_TYPE_ANDROID", "CLIENT_TYPE_IOS",
    ]
    private static let versions = ["RECAPTCHA_VERSION_UNSPECIFIED", "RECAPTCHA_ENTERPRISE"]

    /// Reads the reCAPTCHA Enterprise members (`Docs/Contract/client-accounts.md` §16).
    init(_ body: ProtoObject, token: String = "captchaResponse") throws {
        // An invalid version is refused only when reCAPTCHA is demanded.
        let version = try body.string("recaptchaVersion")
        self.init(
            token: try body.text(token),
            clientType: try body.value("clientType") == "" ? nil : body.enumeration("clientType", of: Self.clientTypes),
            version: (try? body.enumeration("recaptchaVersion", of: Self.versions)) ?? version
        )
    }
}
