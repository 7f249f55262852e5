import Accounts
import Project
import Storage

/// `accounts:sendOobCode` (`Docs/Contract/client-accounts.md` §12).
struct SendOobCode: Endpoint {
    static let summary = "Sends a one-time code by e-mail."
    static let route = Route(
        access: .apiKeyOrAdmin(.changeUsers),
        path: "v1/accounts:sendOobCode",
        legacyName: "getOobConfirmationCode",
        projectPath: "accounts:sendOobCode"
    )

    let send: SendOOBCode

    // The enum of `Docs/Contract/conventions.md` §3, in index order.
    private static let types = [
        "OOB_REQ_TYPE_UNSPECIFIED", "PASSWORD_RESET", "OLD_EMAIL_AGREE", "NEW_EMAIL_ACCEPT", "VERIFY_EMAIL", "RECOVER_EMAIL",
        "EMAIL_SIGNIN", "VERIFY_AND_CHANGE_EMAIL", "REVERT_SECOND_FACTOR_ADDITION",
    ]

    struct Body: ProtoDecodable {
        let typeName: String?
        var request = SendOOBCode.Request(type: .passwordReset)

        init(_ body: ProtoObject) throws {
            typeName = try body.enumeration("requestType", of: types)
            request.email = try body.text("email")
            request.newEmail = try body.text("newEmail")
            request.idToken = try body.text("idToken")
            request.continueURL = try body.text("continueUrl")
            request.canHandleCodeInApp = try body.bool("canHandleCodeInApp") ?? false
            request.returnsLink = try body.bool("returnOobLink") ?? false
            request.app = .init(
                iOSBundleID: try body.text("iOSBundleId"),
                androidPackageName: try body.text("androidPackageName")
            )
            request.linkDomain = try body.text("linkDomain")
            request.describesIOSApp = try body.text("iOSAppStoreId") != nil
            let installsAndroidApp = try body.bool("androidInstallApp") ?? false
            request.describesAndroidApp = try body.text("androidMinimumVersion") != nil || installsAndroidApp
            request.dynamicLinkDomain = try body.text("dynamicLinkDomain")
            request.captcha = try RecaptchaAnswer(body, token: "captchaResp")
            try body.ignore(texts: ["userIp", "challenge"])
        }
    }

    struct Answer: Codable {
        var kind = "identitytoolkit#GetOobConfirmationCodeResponse"
        let email: String
        let oobCode: String?
        let oobLink: String?
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        let result = try await send.send(body.request, type: body.typeName, context: context)
        return Answer(email: result.email, oobCode: result.code, oobLink: result.link)
    }
}
