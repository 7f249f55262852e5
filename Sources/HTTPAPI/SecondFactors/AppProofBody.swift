import Accounts
import Project

extension AppProof {
    /// Reads the proofs of a request that sends an SMS (`contract/phone-and-mfa.md` §1, §7.1).
    ///
    /// - Throws: ``TransportError`` when a member has the wrong shape.
    init(phoneInfo: ProtoObject) throws {
        self.init()
        recaptchaToken = try phoneInfo.text("recaptchaToken")
        iosReceipt = try phoneInfo.text("iosReceipt")
        iosSecret = try phoneInfo.text("iosSecret")
        playIntegrityToken = try phoneInfo.text("playIntegrityToken")
        safetyNetToken = try phoneInfo.text("safetyNetToken")
        captchaResponse = try phoneInfo.text("captchaResponse")
        clientType = try phoneInfo.string("clientType")
        recaptchaVersion = try phoneInfo.string("recaptchaVersion")
        appSignatureHash = try phoneInfo.object("autoRetrievalInfo")?.text("appSignatureHash")
    }
}
