import Accounts
import Project
import Storage

/// `accounts/mfaEnrollment:finalize` (`Docs/Contract/phone-and-mfa.md` §7.2).
struct MFAEnrollmentFinalize: Endpoint {
    static let summary = "Ends the enrolment of a second factor."
    static let route = Route(access: .apiKeyOnly, path: "v2/accounts/mfaEnrollment:finalize")

    let enrollment: SecondFactorEnrollment

    struct Body: ProtoDecodable {
        let idToken: String?
        let displayName: String?
        let verification: SecondFactorEnrollment.Verification?

        init(_ body: ProtoObject) throws {
            idToken = try body.text("idToken")
            let name = try body.string("displayName", atMost: 256)
            displayName = name.flatMap { $0.isEmpty ? nil : $0 }
            let totp = try body.object("totpVerificationInfo")
            if let phone = try body.object("phoneVerificationInfo") {
                try phone.ignore(texts: ["phoneNumber"])
                let hasAndroidProof = try phone.text("androidVerificationProof") != nil
                verification = .phone(
                    sessionInfo: try phone.text("sessionInfo"),
                    code: try phone.text("code"),
                    hasAndroidProof: hasAndroidProof
                )
            } else {
                verification = try totp.map {
                    .totp(sessionInfo: try $0.text("sessionInfo"), code: try $0.text("verificationCode"))
                }
            }
        }
    }

    struct Answer: Codable {
        let idToken: String
        let refreshToken: String
        let phoneAuthInfo: PhoneAuthInfo?
        let totpAuthInfo: Nothing?
    }

    struct PhoneAuthInfo: Codable {
        let phoneNumber: String
    }

    struct Nothing: Codable {}

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        let result = try await enrollment.finalize(
            body.verification,
            idToken: body.idToken,
            displayName: body.displayName,
            context: context
        )
        let tokens = result.tokens
        let number = result.factor.phoneNumber
        return Answer(
            idToken: tokens.idToken,
            refreshToken: tokens.refreshToken,
            phoneAuthInfo: number.map { PhoneAuthInfo(phoneNumber: $0) },
            totpAuthInfo: number == nil ? Nothing() : nil
        )
    }
}
