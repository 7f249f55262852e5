import HTTPTypes
import Project
import Tenancy

/// `GET v1/recaptchaParams`: the reCAPTCHA key for a web page's phone sign-in (`Docs/Contract/client-accounts.md` §14).
struct RecaptchaParams: Endpoint {
    static let summary = "Says what a web page needs for reCAPTCHA."
    static let route = Route(
        method: .get,
        host: .identityToolkit,
        access: .apiKeyOrAdmin(.readConfiguration),
        path: "v1/recaptchaParams",
        legacyName: "getRecaptchaParam"
    )

    let configurations: ConfigurationStore
    /// `recaptcha.siteKey`
    let siteKey: String?
    let mode: ModeRules

    struct Body: ProtoDecodable {
        init(_ body: ProtoObject) throws {}
    }

    struct Answer: Codable {
        var kind = "identitytoolkit#GetRecaptchaParamResponse"
        let recaptchaSiteKey: String?
        let recaptchaStoken: String?
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        if mode.answersFakeSiteKey {
            return Answer(
                recaptchaSiteKey: "Fake-key__Do-not-send-this-to-Recaptcha_",
                recaptchaStoken: "This-is-a-fake-token__Dont-send-this-to-the-Recaptcha-service__"
            )
        }
        let recaptcha = try await configurations.configuration(of: context.scope).recaptcha
        guard let key = siteKey ?? recaptcha.siteKey(for: .web) else {
            // The JS SDK reports an answer without a key as `auth/internal-error`; it shows the text of an error.
            throw APIError(.operationNotAllowed, "reCAPTCHA is not configured on this server (recaptcha.siteKey).")
        }
        return Answer(recaptchaSiteKey: key, recaptchaStoken: nil)
    }
}
