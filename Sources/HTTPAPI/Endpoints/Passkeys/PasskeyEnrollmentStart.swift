import Accounts
import Foundation
import HTTPTypes
import Project
import Storage

/// `accounts/passkeyEnrollment:start` (`Docs/Contract/phone-and-mfa.md` §9).
struct PasskeyEnrollmentStart: Endpoint {
    static let summary = "Begins the enrolment of a passkey."
    static let route = Route(
        method: .post,
        host: .identityToolkit,
        access: .apiKeyOnly,
        path: "v2/accounts/passkeyEnrollment:start"
    )

    let enrollment: PasskeyEnrollment

    struct Body: ProtoDecodable {
        let idToken: String?

        init(_ body: ProtoObject) throws { idToken = try body.text("idToken") }
    }

    struct Answer: Codable {
        let credentialCreationOptions: Options
    }

    struct Options: Codable {
        let rp: Party
        let user: User
        let challenge: String
        var pubKeyCredParams = [Parameter(alg: -7), Parameter(alg: -257)]
        var timeout = 60_000
        var attestation = "none"
        let authenticatorSelection: Selection?
    }

    struct Party: Codable {
        let name: String
        let id: String
    }

    struct User: Codable {
        let id: String
        let name: String
        let displayName: String
    }

    struct Parameter: Codable {
        var type = "public-key"
        let alg: Int
    }

    struct Selection: Codable {
        var residentKey = "required"
        var requireResidentKey = true
        var userVerification = "required"
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        let options = try await enrollment.start(idToken: body.idToken, context: context)
        let account = options.account
        return Answer(
            credentialCreationOptions: Options(
                rp: Party(name: options.relyingPartyName, id: options.relyingPartyID),
                user: User(
                    id: Data(account.localID.utf8).base64EncodedString(),
                    name: account.email ?? "user@example.com",
                    displayName: account.displayName ?? "User"
                ),
                challenge: Data(options.challenge).base64EncodedString(),
                authenticatorSelection: options.demandsDiscoverableCredential ? Selection() : nil
            )
        )
    }
}
