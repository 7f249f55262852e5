import Accounts
import Project
import WebAuthn

/// `accounts/passkeyEnrollment:finalize` (`Docs/Contract/phone-and-mfa.md` §9).
struct PasskeyEnrollmentFinalize: Endpoint {
    static let summary = "Ends the enrolment of a passkey."
    static let route = Route(access: .apiKeyOnly, path: "v2/accounts/passkeyEnrollment:finalize")

    let enrollment: PasskeyEnrollment

    struct Body: ProtoDecodable {
        let idToken: String?
        let response: AuthenticatorResponse?
        let name: String

        init(_ body: ProtoObject) throws {
            idToken = try body.text("idToken")
            response = try body.object("authenticatorRegistrationResponse").map {
                try AuthenticatorResponse($0, partName: "authenticatorAttestationResponse")
            }
            let names = try ["name", "displayName"].map { try body.string($0, atMost: 256) }
            name = names.compactMap(\.self).first { !$0.isEmpty } ?? "Unnamed Passkey"
        }
    }

    struct Answer: Codable {
        let localId: String
        let idToken: String
        let refreshToken: String
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        let result = try await enrollment.finalize(body.response, idToken: body.idToken, name: body.name, context: context)
        let tokens = result.tokens
        return Answer(localId: result.localID, idToken: tokens.idToken, refreshToken: tokens.refreshToken)
    }
}
