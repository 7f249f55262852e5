import Foundation
import Project
import TestKit
import Testing

@Suite("A session that is older than the account's second factor", .teardown, .timeLimit(.minutes(15)))
struct OlderSessionTests {
    private static let tooOld = "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
    private let ceremony = SoftwareAuthenticator.Ceremony(origin: "https://app.example.com", relyingPartyID: "example.com")

    @Test("finishes nothing that it began before, and neither adds nor removes ways in (MFA-05)", arguments: Engine.allCases)
    func planted(engine: Engine) async throws {
        let server = try await TestServer.start(environment: TokenKinds.environment, project: TokenKinds.project, on: engine)
        let owner = try await server.verifiedUser("user@example.com")
        let thief = try server.session(try await server.signIn("user@example.com"))
        let token = thief.token
        let passkey = SoftwareAuthenticator()
        let options = try await server.callV2("passkeyEnrollment:start", token)["credentialCreationOptions"]
        let registration = try passkey.register(try #require(options?["challenge"]?.string), ceremony)
        let begun = try await server.callV2("mfaEnrollment:start", token.merging(["totpEnrollmentInfo": [:]]))
        let offer = try #require(begun["totpSessionInfo"])
        let secret = try #require(offer["sharedSecretKey"]?.string)
        let app = try #require(AuthenticatorApp(sharedSecretKey: secret))

        let enrolled = try await server.enrollApp(owner)
        let withdrawal: JSONValue = ["mfaEnrollmentId": .string(enrolled.enrollmentID)]
        let code: JSONValue = [
            "sessionInfo": offer["sessionInfo"] ?? .null, "verificationCode": .string(app.code(at: server.clock.now)),
        ]
        let answers: [(String, TestClient.Answer)] = [
            (
                "passkey, planted",
                try await server.callV2(
                    "passkeyEnrollment:finalize",
                    token.merging(["authenticatorRegistrationResponse": registration])
                )
            ), ("passkey", try await server.callV2("passkeyEnrollment:start", token)),
            ("factor, planted", try await server.callV2("mfaEnrollment:finalize", token.merging(["totpVerificationInfo": code]))),
            ("factor", try await server.callV2("mfaEnrollment:start", token.merging(["totpEnrollmentInfo": [:]]))),
            ("withdrawal", try await server.callV2("mfaEnrollment:withdraw", token.merging(withdrawal))),
            ("password", try await server.call("update", token.merging(["password": "secret-2"]))),
            ("deletion", try await server.call("delete", token)),
        ]
        for (name, answer) in answers { #expect(answer.errorMessage == Self.tooOld, "\(name): \(answer.status)") }
        #expect(try await server.account(enrolled.session)["mfaInfo"]?.array?.count == 1)

        // The session with the factor does each of these.
        #expect(try await server.callV2("passkeyEnrollment:start", ["idToken": .string(enrolled.session.idToken)]).status == 200)
        let second = try await server.enrollApp(enrolled.session)
        #expect(try await server.callV2("mfaEnrollment:withdraw", second.session.token.merging(withdrawal)).status == 200)
    }
}
