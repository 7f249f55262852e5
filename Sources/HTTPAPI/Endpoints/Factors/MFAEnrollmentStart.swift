import Accounts
import HTTPTypes
import Project
import Tokens

/// `accounts/mfaEnrollment:start` (`Docs/Contract/phone-and-mfa.md` §7.1).
struct MFAEnrollmentStart: Endpoint {
    static let summary = "Begins the enrolment of a second factor."
    static let route = Route(
        method: .post,
        host: .identityToolkit,
        access: .apiKeyOnly,
        path: "v2/accounts/mfaEnrollment:start"
    )

    let enrollment: SecondFactorEnrollment

    struct Body: ProtoDecodable {
        let idToken: String?
        let factor: SecondFactorEnrollment.Factor?

        init(_ body: ProtoObject) throws {
            idToken = try body.text("idToken")
            let totp = try body.object("totpEnrollmentInfo")
            if let phone = try body.object("phoneEnrollmentInfo") {
                factor = .phone(number: try phone.text("phoneNumber"), try AppProof(phone))
            } else {
                factor = totp.map { _ in .totp }
            }
        }
    }

    struct Answer: Codable {
        var phoneSessionInfo: PhoneSession?
        var totpSessionInfo: TOTPSession?
    }

    struct PhoneSession: Codable {
        let sessionInfo: String
    }

    struct TOTPSession: Codable {
        let sharedSecretKey: String
        var verificationCodeLength = TOTP.digits
        var hashingAlgorithm = "SHA1"
        var periodSec = TOTP.period
        let sessionInfo: String
        let finalizeEnrollmentTime: String
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        var factor = body.factor
        if case .phone(let number, var proof) = factor {
            proof.bundleIdentifier = context.iosBundleID
            factor = .phone(number: number, proof)
        }
        return switch try await enrollment.start(factor, idToken: body.idToken, context: context) {
        case .phone(let sessionInfo): Answer(phoneSessionInfo: PhoneSession(sessionInfo: sessionInfo))
        case .totp(let offer):
            Answer(
                totpSessionInfo: TOTPSession(
                    sharedSecretKey: offer.sharedSecretKey,
                    sessionInfo: offer.sessionInfo,
                    finalizeEnrollmentTime: offer.finalizeEnrollmentTime.rfc3339
                )
            )
        }
    }
}
