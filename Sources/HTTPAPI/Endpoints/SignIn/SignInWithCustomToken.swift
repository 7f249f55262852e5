import Accounts
import Project

/// `accounts:signInWithCustomToken`: sign-in with a token of a service account (`Docs/Contract/client-accounts.md` §4).
struct SignInWithCustomToken: Endpoint {
    static let summary = "Signs in with a token of a service account."
    static let route = Route(
        access: .apiKeyOrAdmin(.changeUsers),
        path: "v1/accounts:signInWithCustomToken",
        legacyName: "verifyCustomToken"
    )

    let signIn: CustomTokenSignIn

    struct Body: ProtoDecodable {
        let token: String?

        init(_ body: ProtoObject) throws {
            token = try body.text("token")
            try body.ignore(texts: ["instanceId", "delegatedProjectNumber"], booleans: ["returnSecureToken"])
        }
    }

    /// The answer has no `localId`, because the SDKs read it from the ID token.
    struct Answer: Codable {
        var kind = "identitytoolkit#VerifyCustomTokenResponse"
        let idToken: String
        let refreshToken: String
        let expiresIn: String
        let isNewUser: Bool
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        let session = try await signIn.signIn(try require(body.token, .missingCustomToken), context: context)
        let tokens = session.tokens
        return Answer(
            idToken: tokens.idToken,
            refreshToken: tokens.refreshToken,
            expiresIn: tokens.expiresInText,
            isNewUser: session.isNewUser
        )
    }
}
