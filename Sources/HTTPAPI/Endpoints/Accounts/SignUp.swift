import Accounts
import Project
import Storage

/// `accounts:signUp`: creates anonymous accounts and accounts with a password, adds a password to an account
/// (`Docs/Contract/client-accounts.md` §1), and creates any account for an administrator (`Docs/Contract/admin-accounts.md` §4).
struct SignUp: Endpoint {
    static let summary = "Makes an account, or adds a password to one."
    static let route = Route(
        access: .apiKeyOrAdmin(.changeUsers),
        path: "v1/accounts:signUp",
        legacyName: "signupNewUser",
        projectPath: "accounts"
    )

    let signUp: RequestedSignUp

    struct Body: ProtoDecodable {
        var request = AccountCreation.Request()
        let captcha: RecaptchaAnswer

        init(_ body: ProtoObject) throws {
            request.localID = try body.string("localId", atMost: LocalID.maximumLength).flatMap { $0.isEmpty ? nil : $0 }
            request.email = try body.string("email")
            request.password = try body.password("password")
            request.idToken = try body.text("idToken")
            request.displayName = try body.profileText("displayName", atMost: ProfileLimits.displayName)
            captcha = try RecaptchaAnswer(body)
            request.photoURL = try body.profileText("photoUrl", atMost: ProfileLimits.photoURL)
            request.phoneNumber = try body.text("phoneNumber")
            request.emailVerified = try body.bool("emailVerified")
            request.isDisabled = try body.bool("disabled")
            request.enrollments = try body.objects("mfaInfo").map(AdminEnrollment.init)
            try body.ignore(texts: ["instanceId"], booleans: ["returnSecureToken"])
        }
    }

    struct Answer: Codable {
        var kind = "identitytoolkit#SignupNewUserResponse"
        let localId: String
        let email: String?
        let displayName: String?
        let idToken: String?
        let refreshToken: String?
        let expiresIn: String?
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        let result = try await signUp.signUp(body.request, captcha: body.captcha, context: context)
        let tokens = result.tokens
        return Answer(
            localId: result.account.localID,
            email: result.account.email,
            displayName: result.account.displayName,
            idToken: tokens?.idToken,
            refreshToken: tokens?.refreshToken,
            expiresIn: tokens?.expiresInText
        )
    }
}
