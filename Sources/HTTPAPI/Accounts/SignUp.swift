import Accounts
import HTTPTypes
import Project
import Storage

/// `accounts:signUp`: anonymous accounts, accounts with a password, and the addition of a password to an account
/// (`contract/client-accounts.md` §1).
struct SignUp: Endpoint {
    static let route = Route(
        method: .post,
        host: .identityToolkit,
        path: "v1/accounts:signUp",
        legacyName: "signupNewUser"
    )

    let anonymous: AnonymousSignUp
    let password: PasswordSignUp

    struct Body: ProtoDecodable {
        let localID: String?
        let email: String?
        let password: String?
        let idToken: String?
        let displayName: String?
        let captcha: RecaptchaAnswer

        init(_ body: ProtoObject) throws {
            localID = try body.text("localId")
            email = try body.string("email")
            password = try body.password("password")
            idToken = try body.text("idToken")
            displayName = try body.string("displayName", atMost: 256)
            captcha = try RecaptchaAnswer(body)
            try body.ignore(texts: ["photoUrl", "instanceId"], booleans: ["returnSecureToken"])
        }

        /// Any of these asks for a password account, which needs an e-mail and a password.
        var wantsPassword: Bool { idToken != nil || password != nil || email?.isEmpty == false }
    }

    struct Answer: Encodable {
        let kind = "identitytoolkit#SignupNewUserResponse"
        let localId: String
        let email: String?
        let displayName: String?
        let idToken: String
        let refreshToken: String
        let expiresIn: String
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        if context.isPrivileged { throw TransportError.notImplemented("Creating accounts as an administrator") }
        if body.localID != nil { throw APIError(.unexpectedParameter, "User ID") }
        let session = try await body.wantsPassword ? signUpWithPassword(body, context) : signUpAnonymously(body, context)
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

    private func signUpWithPassword(_ body: Body, _ context: CallContext) async throws -> SignInOutcome.SignedIn {
        try await password.run(
            PasswordSignUp.Request(
                email: body.email,
                password: body.password,
                displayName: body.displayName,
                idToken: body.idToken,
                captcha: body.captcha
            ),
            context: context
        )
    }

    private func signUpAnonymously(_ body: Body, _ context: CallContext) async throws -> SignInOutcome.SignedIn {
        if body.email != nil { throw APIError(.invalidEmail) }
        return try await anonymous.run(context: context)
    }
}
