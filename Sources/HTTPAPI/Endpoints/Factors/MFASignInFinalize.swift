import Accounts
import Project

/// `accounts/mfaSignIn:finalize` (`Docs/Contract/phone-and-mfa.md` §8.2).
struct MFASignInFinalize: Endpoint {
    static let summary = "Ends a sign-in with a second factor."
    static let route = Route(access: .apiKeyOnly, path: "v2/accounts/mfaSignIn:finalize")

    let signIn: SecondFactorSignIn

    struct Body: ProtoDecodable {
        let credential: String?
        let verification: SecondFactorSignIn.Verification?

        init(_ body: ProtoObject) throws {
            credential = try body.text("mfaPendingCredential")
            let enrollmentID = try body.text("mfaEnrollmentId")
            let totp = try body.object("totpVerificationInfo")
            if let phone = try body.object("phoneVerificationInfo") {
                verification = .phone(sessionInfo: try phone.text("sessionInfo"), code: try phone.text("code"))
            } else {
                verification = try totp.map { .totp(enrollmentID: enrollmentID, code: try $0.text("verificationCode")) }
            }
        }
    }

    struct Answer: Codable {
        let idToken: String
        let refreshToken: String
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        let session = try await signIn.finalize(credential: body.credential, body.verification, context: context)
        let tokens = session.tokens
        return Answer(idToken: tokens.idToken, refreshToken: tokens.refreshToken)
    }
}
