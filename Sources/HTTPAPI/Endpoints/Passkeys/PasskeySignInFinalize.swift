import Accounts
import Project
import WebAuthn

/// `accounts/passkeySignIn:finalize` (`Docs/Contract/phone-and-mfa.md` §9).
struct PasskeySignInFinalize: Endpoint {
    static let summary = "Ends the sign-in with a passkey."
    static let route = Route(access: .apiKeyOnly, path: "v2/accounts/passkeySignIn:finalize")

    let signIn: PasskeySignIn

    struct Body: ProtoDecodable {
        let response: AuthenticatorResponse?

        init(_ body: ProtoObject) throws {
            response = try body.object("authenticatorAuthenticationResponse").map {
                try AuthenticatorResponse($0, partName: "authenticatorAssertionResponse")
            }
            try body.ignore(texts: ["sessionId"])
        }
    }

    struct Answer: Codable {
        let idToken: String
        let refreshToken: String
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        let tokens = try await signIn.finalize(body.response, context: context).tokens
        return Answer(idToken: tokens.idToken, refreshToken: tokens.refreshToken)
    }
}
