import Accounts
import HTTPTypes
import Project
import Storage

/// `accounts:signUp`: anonymous accounts (`contract/client-accounts.md` §1).
struct SignUp: Endpoint {
    static let route = Route(
        method: .post,
        host: .identityToolkit,
        path: "v1/accounts:signUp",
        legacyName: "signupNewUser"
    )

    let signUp: AnonymousSignUp

    struct Body: ProtoDecodable {
        let localID: String?
        let email: String?
        let password: String?
        let idToken: String?

        init(_ body: ProtoObject) throws {
            localID = try body.text("localId")
            email = try body.string("email")
            password = try body.text("password")
            idToken = try body.text("idToken")
            try body.ignore(texts: ["displayName", "photoUrl", "instanceId"], booleans: ["returnSecureToken"])
        }

        /// Any of these asks for a password account, which needs an e-mail and a password.
        var wantsPassword: Bool { idToken != nil || password != nil || email?.isEmpty == false }
    }

    struct Answer: Encodable {
        let kind = "identitytoolkit#SignupNewUserResponse"
        let localId: String
        let idToken: String
        let refreshToken: String
        let expiresIn: String
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        if context.isPrivileged { throw TransportError.notImplemented("Creating accounts as an administrator") }
        if body.localID != nil { throw APIError(.unexpectedParameter, "User ID") }
        if body.wantsPassword {
            _ = try require(body.email, .missingEmail)
            _ = try require(body.password, .missingPassword)
            throw APIError(.operationNotAllowed)
        }
        if body.email != nil { throw APIError(.invalidEmail) }
        let session = try await signUp.run(context: context)
        let tokens = TokensJSON(session.tokens)
        return Answer(
            localId: session.account.localID,
            idToken: tokens.idToken,
            refreshToken: tokens.refreshToken,
            expiresIn: tokens.expiresIn
        )
    }
}
