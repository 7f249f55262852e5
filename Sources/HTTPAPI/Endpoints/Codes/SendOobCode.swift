import Accounts
import HTTPTypes
import Project
import Storage

/// `accounts:sendOobCode` (`Docs/Contract/client-accounts.md` §12).
struct SendOobCode: Endpoint {
    static let summary = "Sends a one-time code by e-mail."
    static let route = Route(
        method: .post,
        host: .identityToolkit,
        access: .apiKeyOrAdmin(.changeUsers),
        path: "v1/accounts:sendOobCode",
        legacyName: "getOobConfirmationCode",
        projectPath: "accounts:sendOobCode"
    )

    let send: SendOOBCode
    let mode: ModeRules

    // The enum of `Docs/Contract/conventions.md` §3, in index order.
    private static let types: [(name: String, type: OOBRequestType?)] = [
        ("OOB_REQ_TYPE_UNSPECIFIED", nil), ("PASSWORD_RESET", .passwordReset), ("OLD_EMAIL_AGREE", nil),
        ("NEW_EMAIL_ACCEPT", nil), ("VERIFY_EMAIL", .verifyEmail), ("RECOVER_EMAIL", .recoverEmail),
        ("EMAIL_SIGNIN", .emailSignIn), ("VERIFY_AND_CHANGE_EMAIL", .verifyAndChangeEmail),
        ("REVERT_SECOND_FACTOR_ADDITION", .revertSecondFactorAddition),
    ]

    struct Body: ProtoDecodable {
        let typeName: String?
        var request = SendOOBCode.Request(type: .passwordReset)

        init(_ body: ProtoObject) throws {
            typeName = try body.enumeration("requestType", of: types.map(\.name))
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

    struct Answer: Encodable {
        let kind = "identitytoolkit#GetOobConfirmationCodeResponse"
        let email: String
        let oobCode: String?
        let oobLink: String?
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        let name = body.typeName ?? "OOB_REQ_TYPE_UNSPECIFIED"
        if name == "OOB_REQ_TYPE_UNSPECIFIED" { throw APIError(.missingReqType) }
        do {
            var request = body.request
            request.type = try require(Self.types.first { $0.name == name }?.type, .invalidReqType)
            let result = try await send.run(request, context: context)
            return Answer(email: result.email, oobCode: result.code, oobLink: result.link)
        } catch let error as APIError where error.code == .invalidReqType && mode.refusesWhatEmulatorLacks {
            throw TransportError.lackedByEmulator(name)
        }
    }
}
