import Accounts
import HTTPTypes
import Project
import Storage

/// `accounts:signUp`: creates anonymous accounts and accounts with a password, adds a password to an account
/// (`Docs/Contract/client-accounts.md` §1), and creates any account for an administrator (`Docs/Contract/admin-accounts.md` §4).
struct SignUp: Endpoint {
    static let summary = "Makes an account, or adds a password to one."
    static let route = Route(
        method: .post,
        host: .identityToolkit,
        access: .apiKeyOrAdmin(.changeUsers),
        path: "v1/accounts:signUp",
        legacyName: "signupNewUser",
        projectPath: "accounts"
    )

    let anonymous: AnonymousSignUp
    let password: PasswordSignUp
    let creation: AccountCreation

    struct Body: ProtoDecodable {
        let localID: String?
        let email: String?
        let password: String?
        let idToken: String?
        let displayName: String?
        /// The fields for administrators; in development the enrolments count for everyone.
        var admin = AccountCreation.Request()
        let captcha: RecaptchaAnswer

        init(_ body: ProtoObject) throws {
            localID = try body.string("localId", atMost: LocalID.maximumLength).flatMap { $0.isEmpty ? nil : $0 }
            email = try body.string("email")
            password = try body.password("password")
            idToken = try body.text("idToken")
            displayName = try body.profileText("displayName", atMost: 256)
            captcha = try RecaptchaAnswer(body)
            admin.photoURL = try body.profileText("photoUrl", atMost: 2048)
            admin.phoneNumber = try body.text("phoneNumber")
            admin.emailVerified = try body.bool("emailVerified")
            admin.isDisabled = try body.bool("disabled")
            admin.enrollments = try body.objects("mfaInfo").map(AdminEnrollment.init)
            try body.ignore(texts: ["instanceId"], booleans: ["returnSecureToken"])
            admin.localID = localID
            admin.idToken = idToken
            admin.email = email
            admin.password = password
            admin.displayName = displayName
        }

        /// Whether the request is for a password account, which needs an e-mail and a password.
        var wantsPassword: Bool { idToken != nil || password != nil || email?.isEmpty == false }
    }

    struct Answer: Encodable {
        let kind = "identitytoolkit#SignupNewUserResponse"
        let localId: String
        let email: String?
        let displayName: String?
        var idToken: String?
        var refreshToken: String?
        var expiresIn: String?
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        if context.isPrivileged {
            let account = try await creation.run(body.admin, context: context)
            return Answer(localId: account.localID, email: account.email, displayName: account.displayName)
        }
        if body.localID != nil { throw APIError(.unexpectedParameter, "User ID") }
        let session =
            try await body.wantsPassword
            ? signUpWithPassword(body, context)
            : anonymous.run(email: body.email, enrollments: body.admin.enrollments, context: context)
        let tokens = TokensJSON(session.tokens)
        return Answer(
            localId: session.account.localID,
            email: session.account.email,
            displayName: session.account.displayName,
            idToken: tokens.idToken,
            refreshToken: tokens.refreshToken,
            expiresIn: tokens.expiresIn
        )
    }

    private func signUpWithPassword(_ body: Body, _ context: CallContext) async throws -> AcceptedSignIn.Session {
        try await password.run(
            PasswordSignUp.Request(
                email: body.email,
                password: body.password,
                displayName: body.displayName,
                idToken: body.idToken,
                captcha: body.captcha,
                enrollments: body.admin.enrollments
            ),
            context: context
        )
    }
}
