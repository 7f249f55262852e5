import Accounts
import Project
import Storage

/// `accounts:signInWithEmailLink` (`Docs/Contract/client-accounts.md` §3).
struct SignInWithEmailLink: Endpoint {
    static let summary = "Signs in with the code of a link in an e-mail."
    static let route = Route(
        access: .apiKeyOrAdmin(.changeUsers),
        path: "v1/accounts:signInWithEmailLink",
        legacyName: "emailLinkSignin"
    )

    let signIn: EmailLinkSignIn

    struct Body: ProtoDecodable {
        let email: String?
        let code: String?
        let idToken: String?

        init(_ body: ProtoObject) throws {
            email = try body.string("email")
            code = try body.text("oobCode")
            idToken = try body.text("idToken")
            try body.ignore(booleans: ["returnSecureToken"])
        }
    }

    struct Answer: Codable {
        var kind = "identitytoolkit#EmailLinkSigninResponse"
        let email: String?
        let localId: String
        let isNewUser: Bool
        let idToken: String?
        let refreshToken: String?
        let expiresIn: String?
        let mfaPendingCredential: String?
        let mfaInfo: [MFAInfoJSON]?
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        let accepted = try await signIn.signIn(email: body.email, code: body.code, idToken: body.idToken, context: context)
        let (tokens, pending) = (accepted.issuedTokens, accepted.pendingJSON)
        return Answer(
            email: accepted.account.email,
            localId: accepted.account.localID,
            isNewUser: accepted.isNewUser,
            idToken: tokens?.idToken,
            refreshToken: tokens?.refreshToken,
            expiresIn: tokens?.expiresInText,
            mfaPendingCredential: pending?.mfaPendingCredential,
            mfaInfo: pending?.mfaInfo
        )
    }
}
