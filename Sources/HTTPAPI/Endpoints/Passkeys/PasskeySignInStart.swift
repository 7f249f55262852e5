import Accounts
import Foundation
import HTTPTypes
import Project

/// `accounts/passkeySignIn:start` (`Docs/Contract/phone-and-mfa.md` §9).
struct PasskeySignInStart: Endpoint {
    static let summary = "Begins the sign-in with a passkey."
    static let route = Route(
        method: .post,
        host: .identityToolkit,
        access: .apiKeyOnly,
        path: "v2/accounts/passkeySignIn:start"
    )

    let signIn: PasskeySignIn

    struct Body: ProtoDecodable {
        init(_ body: ProtoObject) throws { try body.ignore(texts: ["sessionId"]) }
    }

    struct Answer: Codable {
        let credentialRequestOptions: Options
    }

    struct Options: Codable {
        let challenge: String
        let rpId: String
        var userVerification = "required"
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        let options = try await signIn.start(context: context)
        let challenge = Data(options.challenge).base64EncodedString()
        return Answer(credentialRequestOptions: Options(challenge: challenge, rpId: options.relyingPartyID))
    }
}
