import Accounts
import Project

/// `accounts/mfaEnrollment:withdraw` (`Docs/Contract/phone-and-mfa.md` §7.3).
struct MFAEnrollmentWithdraw: Endpoint {
    static let summary = "Removes a second factor."
    static let route = Route(access: .apiKeyOnly, path: "v2/accounts/mfaEnrollment:withdraw")

    let withdrawal: SecondFactorWithdrawal

    struct Body: ProtoDecodable {
        let idToken: String?
        let enrollmentID: String?

        init(_ body: ProtoObject) throws {
            idToken = try body.text("idToken")
            enrollmentID = try body.text("mfaEnrollmentId")
        }
    }

    struct Answer: Codable {
        let idToken: String
        let refreshToken: String
        let expiresIn: String
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        let tokens = try await withdrawal.withdraw(enrollmentID: body.enrollmentID, idToken: body.idToken, context: context)
        return Answer(idToken: tokens.idToken, refreshToken: tokens.refreshToken, expiresIn: tokens.expiresInText)
    }
}
