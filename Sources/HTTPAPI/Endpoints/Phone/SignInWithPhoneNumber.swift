import Accounts
import Project
import Storage

/// `accounts:signInWithPhoneNumber` (`Docs/Contract/phone-and-mfa.md` §2).
struct SignInWithPhoneNumber: Endpoint {
    static let summary = "Signs in or links with the code that a phone number was sent."
    static let route = Route(
        access: .apiKeyOrAdmin(.changeUsers),
        path: "v1/accounts:signInWithPhoneNumber",
        legacyName: "verifyPhoneNumber"
    )

    let signIn: PhoneSignIn

    // The enum of `Docs/Contract/conventions.md` §3, in index order.
    private static let operations = [
        "VERIFY_OP_UNSPECIFIED", "SIGN_UP_OR_IN", "REAUTH", "UPDATE", "LINK",
    ]

    struct Body: ProtoDecodable {
        var request = PhoneSignIn.Request()

        init(_ body: ProtoObject) throws {
            request.sessionInfo = try body.text("sessionInfo")
            request.code = try body.text("code")
            request.temporaryProof = try body.text("temporaryProof")
            request.phoneNumber = try body.text("phoneNumber")
            request.idToken = try body.text("idToken")
            request.isReauthentication = try body.enumeration("operation", of: operations) == "REAUTH"
            try body.ignore(texts: ["verificationProof", "verificationProofExpiresIn"])
        }
    }

    // The SDKs recognize the result by the members that are present (`Docs/Contract/conventions.md` §4).
    struct Answer: Codable {
        let phoneNumber: String?
        var isNewUser: Bool?
        var localId: String?
        var idToken: String?
        var refreshToken: String?
        var expiresIn: String?
        var temporaryProof: String?
        var temporaryProofExpiresIn: String?
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        switch try await signIn.signIn(body.request, context: context) {
        case .signedIn(let session):
            let tokens = session.tokens
            return Answer(
                phoneNumber: session.account.phoneNumber,
                isNewUser: session.isNewUser,
                localId: session.account.localID,
                idToken: tokens.idToken,
                refreshToken: tokens.refreshToken,
                expiresIn: tokens.expiresInText
            )
        case .belongsToAnother(let phoneNumber, let temporaryProof, let seconds):
            return Answer(
                phoneNumber: phoneNumber,
                temporaryProof: temporaryProof,
                temporaryProofExpiresIn: String(seconds)
            )
        }
    }
}
