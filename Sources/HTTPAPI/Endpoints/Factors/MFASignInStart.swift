import Accounts
import HTTPTypes
import Project

/// `accounts/mfaSignIn:start` (`Docs/Contract/phone-and-mfa.md` §8.1).
struct MFASignInStart: Endpoint {
    static let summary = "Sends the code of a second factor."
    static let route = Route(
        method: .post,
        host: .identityToolkit,
        access: .apiKeyOnly,
        path: "v2/accounts/mfaSignIn:start"
    )

    let signIn: SecondFactorSignIn

    struct Body: ProtoDecodable {
        let credential: String?
        let enrollmentID: String?
        let proof: AppProof

        init(_ body: ProtoObject) throws {
            credential = try body.text("mfaPendingCredential")
            enrollmentID = try body.text("mfaEnrollmentId")
            // The iOS SDK also sends the number as it was shown, with stars; it is ignored.
            proof = try body.object("phoneSignInInfo").map(AppProof.init) ?? AppProof()
        }
    }

    struct Answer: Codable {
        let phoneResponseInfo: PhoneResponse
    }

    struct PhoneResponse: Codable {
        let sessionInfo: String
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        var proof = body.proof
        proof.bundleIdentifier = context.iosBundleID
        let sessionInfo = try await signIn.start(
            credential: body.credential,
            enrollmentID: body.enrollmentID,
            proof: proof,
            context: context
        )
        return Answer(phoneResponseInfo: PhoneResponse(sessionInfo: sessionInfo))
    }
}
