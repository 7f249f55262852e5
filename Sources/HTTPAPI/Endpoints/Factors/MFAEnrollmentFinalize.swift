import Accounts
import HTTPTypes
import Project
import Storage

/// `accounts/mfaEnrollment:finalize` (`Docs/Contract/phone-and-mfa.md` §7.2).
struct MFAEnrollmentFinalize: Endpoint {
    static let summary = "Ends the enrolment of a second factor."
    static let route = Route(
        method: .post,
        host: .identityToolkit,
        access: .apiKeyOnly,
        path: "v2/accounts/mfaEnrollment:finalize"
    )

    let enrollment: SecondFactorEnrollment
    let mode: ModeRules

    struct Body: ProtoDecodable {
        let idToken: String?
        let displayName: String?
        let verification: SecondFactorEnrollment.Verification?
        /// Whether there is an `androidVerificationProof`.
        let hasAndroidProof: Bool

        init(_ body: ProtoObject) throws {
            idToken = try body.text("idToken")
            let name = try body.string("displayName", atMost: 256)
            displayName = name.flatMap { $0.isEmpty ? nil : $0 }
            let totp = try body.object("totpVerificationInfo")
            if let phone = try body.object("phoneVerificationInfo") {
                try phone.ignore(texts: ["phoneNumber"])
                hasAndroidProof = try phone.text("androidVerificationProof") != nil
                verification = .phone(sessionInfo: try phone.text("sessionInfo"), code: try phone.text("code"))
            } else {
                hasAndroidProof = false
                verification = try totp.map {
                    .totp(sessionInfo: try $0.text("sessionInfo"), code: try $0.text("verificationCode"))
                }
            }
        }
    }

    struct Answer: Encodable {
        let idToken: String
        let refreshToken: String
        let phoneAuthInfo: PhoneAuthInfo?
        let totpAuthInfo: Nothing?
    }

    struct PhoneAuthInfo: Encodable {
        let phoneNumber: String
    }

    struct Nothing: Encodable {}

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        // Production takes the code beside it; the emulator says that it does not know the proof.
        let isAndroids = body.hasAndroidProof && mode.refusesAndroidProofs
        let result: SecondFactorEnrollment.Result
        do {
            result = try await enrollment.finalize(
                isAndroids ? .androidProof : body.verification,
                idToken: body.idToken,
                displayName: body.displayName,
                context: context
            )
        } catch is SecondFactorEnrollment.Unsupported {
            throw TransportError.notImplemented("androidVerificationProof")
        }
        let tokens = TokensJSON(result.tokens)
        let number = result.factor.phoneNumber
        return Answer(
            idToken: tokens.idToken,
            refreshToken: tokens.refreshToken,
            phoneAuthInfo: number.map { PhoneAuthInfo(phoneNumber: $0) },
            totpAuthInfo: number == nil ? Nothing() : nil
        )
    }
}
