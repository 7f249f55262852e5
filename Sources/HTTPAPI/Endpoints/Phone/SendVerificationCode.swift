import Accounts
import Project

/// `accounts:sendVerificationCode` (`Docs/Contract/phone-and-mfa.md` §1).
struct SendVerificationCode: Endpoint {
    static let summary = "Sends a code to a phone number."
    static let route = Route(
        access: .apiKeyOrAdmin(.changeUsers),
        path: "v1/accounts:sendVerificationCode",
        legacyName: "sendVerificationCode"
    )

    let sender: PhoneCodeSender

    struct Body: ProtoDecodable {
        let phoneNumber: String?
        let proof: AppProof

        init(_ body: ProtoObject) throws {
            phoneNumber = try body.text("phoneNumber")
            proof = try AppProof(body)
        }
    }

    struct Answer: Codable {
        let sessionInfo: String
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        var proof = body.proof
        proof.bundleIdentifier = context.iosBundleID
        return Answer(sessionInfo: try await sender.send(phoneNumber: body.phoneNumber, proof: proof, context: context))
    }
}
