import Foundation
import Project
import TestKit
import Testing

@Suite("A user who is switched off, or gone", .teardown, .timeLimit(.minutes(15)))
struct GrantTests {
    private let ceremony = SoftwareAuthenticator.Ceremony(origin: "https://app.example.com", relyingPartyID: "example.com")

    @Test("gets nothing by any grant (SES-12, OID-17)", arguments: ["disabled", "deleted", "revoked"])
    func grants(end: String) async throws {
        let server = try await TestServer.start(environment: TokenKinds.environment, project: TokenKinds.project)
        let user = try await server.verifiedUser("user@example.com")
        let token = user.token
        let minter = try await CustomTokenTests.Minter(on: server)
        let passkey = SoftwareAuthenticator()
        let options = try await server.callV2("passkeyEnrollment:start", token)["credentialCreationOptions"]
        let registration = try passkey.register(try #require(options?["challenge"]?.string), ceremony)
        let enrolled = token.merging(["authenticatorRegistrationResponse": registration])
        #expect(try await server.callV2("passkeyEnrollment:finalize", enrolled).status == 200)
        #expect(try await server.signIn("oidc.test", try server.oidcToken("mine"), token).status == 200)
        let number = try await server.sendCode(TestServer.testNumber)["sessionInfo"]
        #expect(try await server.signInWithPhone(number, TestServer.testNumberCode, token).status == 200)
        // These are begun before the change and finished after it.
        let session = try await server.sendCode(TestServer.testNumber)["sessionInfo"]
        let mail: JSONValue = ["email": "user@example.com", "continueUrl": "https://app.example.com/done"]
        let link = try await server.code("EMAIL_SIGNIN", mail)
        let reset = try await server.code("PASSWORD_RESET", mail)
        let claims = TestServer.email("user@example.com", verified: false)
        let collision = try await server.signIn("oidc.two", try server.twoToken("other", claims))
        let challenge = try await server.callV2("passkeySignIn:start", [:])["credentialRequestOptions"]?["challenge"]?.string
        let assertion = try passkey.assert(try #require(challenge), ceremony)

        server.clock.advance(by: .seconds(2))
        let id: JSONValue = ["localId": .string(user.localID)]
        switch end {
        case "disabled": _ = try await server.callAsAdmin("update", id.merging(["disableUser": true]))
        case "deleted": _ = try await server.callAsAdmin("delete", id)
        default:
            let now = JSONValue.string(String(server.clock.now.seconds))
            _ = try await server.callAsAdmin("update", id.merging(["validSince": now]))
        }
        var answers: [(String, TestClient.Answer)] = [
            ("refresh", try await server.refresh(user.refreshToken)), ("lookup", try await server.call("lookup", token)),
            ("cookie", try await server.admin(":createSessionCookie", token)),
            ("passkey start", try await server.callV2("passkeyEnrollment:start", token)),
            ("factor", try await server.callV2("mfaEnrollment:start", token.merging(["totpEnrollmentInfo": [:]]))),
            ("change", try await server.call("update", token.merging(["password": "secret-2"]))),
            ("link", try await server.signIn("oidc.test", try server.oidcToken("more"), token)),
        ]
        if end != "revoked" {
            let pending: JSONValue = ["pendingToken": collision["pendingToken"] ?? .null, "requestUri": "http://localhost"]
            answers += [
                ("password", try await server.signIn("user@example.com")),
                (
                    "passkey",
                    try await server.callV2("passkeySignIn:finalize", ["authenticatorAuthenticationResponse": assertion])
                ), ("pending", try await server.call("signInWithIdp", pending.merging(token))),
                ("reset", try await server.call("resetPassword", ["oobCode": .string(reset), "newPassword": "secret-2"])),
            ]
        }
        if end == "disabled" {
            let proof: JSONValue = ["oobCode": .string(link), "email": "user@example.com"]
            answers += [
                ("provider", try await server.signIn("oidc.test", try server.oidcToken("mine"))),
                ("e-mail link", try await server.call("signInWithEmailLink", proof)),
                ("phone", try await server.signInWithPhone(session, TestServer.testNumberCode)),
                (
                    "custom token",
                    try await server.call("signInWithCustomToken", ["token": .string(try minter.token(user.localID))])
                ),
            ]
        }
        let expected = ["disabled": ["USER_DISABLED"], "revoked": ["TOKEN_EXPIRED"]][end]
        for (name, answer) in answers {
            #expect(answer.status == 400, "\(name): \(answer.json)")
            #expect(answer["idToken"] == nil && answer["sessionCookie"] == nil, "\(name)")
            if let expected { #expect(expected.contains(answer.errorMessage ?? ""), "\(name): \(answer.json)") }
        }
    }
}

extension TestServer {
    /// A valid token of the second provider.
    fileprivate func twoToken(_ subject: String, _ overrides: JSONValue) throws -> String {
        try provider.token(claims("two", "two", subject, overrides))
    }
}
