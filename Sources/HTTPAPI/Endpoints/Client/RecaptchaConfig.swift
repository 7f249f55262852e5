import HTTPTypes
import Project
import Tenancy

/// `GET v2/recaptchaConfig`: whether calls need a reCAPTCHA Enterprise token (`Docs/Contract/admin-config.md` §6).
struct RecaptchaConfig: Endpoint {
    static let summary = "Says whether calls must bring a reCAPTCHA Enterprise token."
    static let route = Route(
        method: .get,
        host: .identityToolkit,
        access: .apiKeyOrAdmin(.readConfiguration),
        path: "v2/recaptchaConfig"
    )

    let configurations: ConfigurationStore

    struct Body: ProtoDecodable {
        let platform: RecaptchaPolicy.Platform

        // The platform comes by name or index (`Docs/Contract/conventions.md` §3). Without one the client counts as a web page.
        init(_ body: ProtoObject) throws {
            try body.ignore(texts: ["version"])
            switch try body.text("clientType") {
            case nil, "CLIENT_TYPE_UNSPECIFIED", "0", "CLIENT_TYPE_WEB", "1": platform = .web
            case "CLIENT_TYPE_ANDROID", "2": platform = .android
            case "CLIENT_TYPE_IOS", "3": platform = .ios
            default: throw TransportError.wrongShape("/clientType", "must be equal to one of the allowed values")
            }
        }
    }

    struct Answer: Codable {
        /// The key as `projects/PROJECT/keys/KEY`; the SDKs use the fourth part.
        let recaptchaKey: String?
        let recaptchaEnforcementState: [State]
        let useSmsBotScore: Bool?
        let useSmsTollFraudProtection: Bool?

        struct State: Codable {
            let provider: String
            let enforcementState: String
        }
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        let recaptcha = try await configurations.configuration(of: context.scope).recaptcha
        return Answer(
            recaptchaKey: recaptcha.isInUse ? recaptcha.key(for: body.platform) : nil,
            recaptchaEnforcementState: [
                .init(provider: "EMAIL_PASSWORD_PROVIDER", enforcementState: recaptcha.emailPassword.rawValue),
                .init(provider: "PHONE_PROVIDER", enforcementState: recaptcha.phone.rawValue),
            ],
            useSmsBotScore: recaptcha.usesSMSBotScore ? true : nil,
            useSmsTollFraudProtection: recaptcha.usesSMSTollFraudProtection ? true : nil
        )
    }
}
