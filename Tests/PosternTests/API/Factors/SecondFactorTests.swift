import Foundation
import Project
import Storage
import TestKit
import Testing

@Suite("A second factor", .teardown, .timeLimit(.minutes(15)))
struct SecondFactorTests {
    func start(on engine: Engine = .sqlite, _ environment: [String: String] = [:]) async throws -> TestServer {
        try await TestServer.start(environment: environment, project: TestServer.factorProject, on: engine)
    }

    @Test("is enrolled, demanded, shown, kept by refreshing, and withdrawn", arguments: Engine.allCases)
    func lifecycle(engine: Engine) async throws {
        let server = try await start(on: engine)
        let user = try await server.verifiedUser("a@b.c")
        let started = try await server.callV2(
            "mfaEnrollment:start",
            ["idToken": .string(user.idToken), "totpEnrollmentInfo": [:]]
        )
        let info = try #require(started["totpSessionInfo"])
        #expect(info["verificationCodeLength"] == 6)
        #expect(info["hashingAlgorithm"] == "SHA1")
        #expect(info["periodSec"] == 30)
        #expect(info["sharedSecretKey"]?.string?.count == 32)
        #expect(info["finalizeEnrollmentTime"]?.string?.hasSuffix("Z") == true)
        #expect(try await server.account(user)["mfaInfo"] == nil)

        let enrolled = try await server.enrollApp(user, name: "My app")
        let before = try await server.account(enrolled.session)
        let factor = try #require(before["mfaInfo"]?[0])
        #expect(factor["mfaEnrollmentId"] == .string(enrolled.enrollmentID))
        #expect(factor["displayName"] == "My app")
        #expect(factor["totpInfo"] == [:])
        #expect(factor.object?.count == 4)
        #expect(try server.payload(enrolled.session.idToken)["firebase"]?["sign_in_second_factor"] == "totp")

        let pending = try await server.signIn("a@b.c")
        #expect(pending.status == 200)
        #expect(pending["localId"] == .string(user.localID))
        #expect(pending["registered"] == true)
        for key in ["idToken", "refreshToken", "expiresIn"] { #expect(pending[key] == nil) }
        #expect(pending["mfaInfo"]?.array?.count == 1)
        let waiting = try await server.account(enrolled.session)
        #expect(waiting["lastLoginAt"] == before["lastLoginAt"])
        #expect(waiting["lastRefreshAt"] == before["lastRefreshAt"])

        let shown = try await server.show(enrolled, pending)
        #expect(shown.status == 200, "\(shown.errorMessage ?? "")")
        #expect(Set((shown.json.object ?? [:]).keys) == ["idToken", "refreshToken"])
        let claims = try server.payload(try #require(shown["idToken"]?.string))
        #expect(claims["firebase"]?["sign_in_provider"] == "password")
        #expect(claims["firebase"]?["second_factor_identifier"] == .string(enrolled.enrollmentID))
        let refreshed = try await server.refresh(try #require(shown["refreshToken"]?.string))
        let again = try server.payload(try #require(refreshed["id_token"]?.string))
        #expect(again["firebase"]?["sign_in_second_factor"] == "totp")
        // The success used it up.
        server.clock.advance(by: .seconds(30))
        #expect(try await server.show(enrolled, pending).errorMessage == "INVALID_MFA_PENDING_CREDENTIAL")

        let withdraw: JSONValue = ["idToken": shown["idToken"] ?? .null]
        #expect(try await server.callV2("mfaEnrollment:withdraw", [:]).errorMessage == "MISSING_ID_TOKEN")
        #expect(try await server.callV2("mfaEnrollment:withdraw", withdraw).errorMessage == "MFA_ENROLLMENT_NOT_FOUND")
        let withdrawn = try await server.callV2(
            "mfaEnrollment:withdraw",
            withdraw.merging(["mfaEnrollmentId": .string(enrolled.enrollmentID)])
        )
        let plain = try server.payload(try #require(withdrawn["idToken"]?.string))
        #expect(plain["firebase"]?["sign_in_second_factor"] == nil)
        #expect(plain["firebase"]?["sign_in_provider"] == "password")
        _ = try server.session(try await server.signIn("a@b.c"))
    }

    @Test("is off unless the project turns it on, kind by kind; a body without a factor meets the gate of SMS")
    func gates() async throws {
        let server = try await TestServer.start(project: TestServer.emailProject())
        let token: JSONValue = ["idToken": .string(try await server.signUp("a@b.c").idToken)]
        let (sms, totp) = (
            "OPERATION_NOT_ALLOWED : SMS based MFA not enabled.", "OPERATION_NOT_ALLOWED : TOTP based MFA not enabled."
        )
        for (method, body, message) in [
            ("mfaEnrollment:start", [:], sms), ("mfaEnrollment:start", ["totpEnrollmentInfo": [:]], totp),
            ("mfaEnrollment:finalize", [:], sms), ("mfaEnrollment:finalize", ["totpVerificationInfo": [:]], totp),
            ("mfaSignIn:start", [:], sms), ("mfaSignIn:finalize", [:], sms),
            ("mfaSignIn:finalize", ["totpVerificationInfo": [:]], totp),
        ] as [(String, JSONValue, String)] {
            #expect(try await server.callV2(method, body.merging(token)).errorMessage == message)
        }
    }

    @Test("is demanded after a password, a link and a provider, also when linking; not after what vouches otherwise (MFA-02)")
    func methods() async throws {
        let server = try await start()
        let enrolled = try await server.enrollApp(try await server.verifiedUser("a@b.c"))
        let email = TestServer.email("a@b.c")
        let federated = try await server.signIn("oidc.test", try server.oidcToken("o", email.merging(["name": "Ada"])))
        #expect(federated["idToken"] == nil)
        #expect(federated["providerId"] == "oidc.test")
        #expect(federated["rawUserInfo"]?.string?.contains("Ada") == true)
        #expect(federated["localId"] == .string(enrolled.session.localID))
        #expect(federated["isNewUser"] == false)
        // The identity is stored once the sign-in is completed.
        func isLinked() async throws -> Bool? {
            let providers = try await server.account(enrolled.session)["providerUserInfo"]?.array
            return providers?.contains { $0["providerId"] == "oidc.test" }
        }
        #expect(try await isLinked() == false)
        let shown = try await server.show(enrolled, federated)
        #expect(try await isLinked() == true)
        let claims = try server.payload(try #require(shown["idToken"]?.string))
        #expect(claims["firebase"]?["sign_in_provider"] == "oidc.test")
        #expect(claims["firebase"]?["sign_in_second_factor"] == "totp")

        let link = try await server.code("EMAIL_SIGNIN", ["email": "a@b.c", "continueUrl": "http://localhost"])
        let body: JSONValue = ["email": "a@b.c", "oobCode": .string(link)]
        let linked = try await server.call("signInWithEmailLink", body)
        #expect(linked["mfaPendingCredential"] != nil)
        #expect(linked["idToken"] == nil)
        #expect(linked["isNewUser"] == false)
        let again = try await server.code("EMAIL_SIGNIN", ["email": "a@b.c", "continueUrl": "http://localhost"])
        let linking = body.merging(["oobCode": .string(again), "idToken": .string(enrolled.session.idToken)])
        #expect(try await server.call("signInWithEmailLink", linking)["mfaPendingCredential"] != nil)
        // Refreshing works as before.
        #expect(try await server.refresh(enrolled.session.refreshToken).status == 200)
    }

    @Test(
        "is told of by mail, and removed by the mail's code, whatever happened to the address since",
        arguments: Engine.allCases
    )
    func notice(engine: Engine) async throws {
        let smtp = try await SMTPServer.start()
        let environment = [
            "POSTERN_EMAIL_TRANSPORT": "smtp", "POSTERN_EMAIL_SMTP_URL": "smtp://127.0.0.1:\(smtp.port)",
            "POSTERN_EMAIL_FROM": "Postern <noreply@example.com>", "POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com",
        ]
        let server = try await start(on: engine, environment)
        let enrolled = try await server.enrollApp(try await server.verifiedUser("a@b.c"), name: "Not mine")
        let text = try #require(try await smtp.message(1)["parts"]?["text/plain"]?.string)
        #expect(text.contains("mode=revertSecondFactorAddition"))
        let found = try #require(text.firstMatch(of: /oobCode=([A-Za-z0-9_-]+)/).map { String($0.1) })
        let code: JSONValue = .string(found)
        let peek = try await server.call("resetPassword", ["oobCode": code])
        #expect(peek["requestType"] == "REVERT_SECOND_FACTOR_ADDITION")
        #expect(peek["email"] == "a@b.c")
        #expect(peek["mfaInfo"]?["mfaEnrollmentId"] == .string(enrolled.enrollmentID))
        #expect(peek["mfaInfo"]?["displayName"] == "Not mine")
        let removed = try await server.call("update", ["oobCode": code])
        #expect(removed.status == 200)
        #expect(removed["idToken"] == nil)
        #expect(removed["newEmail"] == nil)
        #expect(try await server.call("update", ["oobCode": code]).errorMessage == "INVALID_OOB_CODE")
        // The session that was begun with the factor has ended. A password alone signs in again.
        #expect(try await server.refresh(enrolled.session.refreshToken).errorMessage == "TOKEN_EXPIRED")
        _ = try server.session(try await server.signIn("a@b.c"))
    }

    @Test("is refused beyond five, and to a disabled account")
    func limits() async throws {
        let server = try await start()
        let user = try await server.verifiedUser("a@b.c")
        var enrolled = try await server.enrollApp(user)
        for _ in 0..<4 { enrolled = try await server.enrollApp(enrolled.session) }
        let token: JSONValue = ["idToken": .string(enrolled.session.idToken)]
        let sixth = try await server.callV2("mfaEnrollment:start", token.merging(["totpEnrollmentInfo": [:]]))
        #expect(sixth.errorMessage == "SECOND_FACTOR_LIMIT_EXCEEDED")
        let pending = try await server.signIn("a@b.c")
        #expect(pending["mfaInfo"]?.array?.count == 5)
        let disabled = try await server.callAsAdmin("update", ["localId": .string(user.localID), "disableUser": true])
        #expect(disabled.status == 200)
        #expect(try await server.show(enrolled, pending).errorMessage == "USER_DISABLED")
    }

    @Test("is written by clients in development, as in the emulator")
    func development() async throws {
        let server = try await TestServer.start(mode: .development)
        let user = try await server.signUp("a@b.c")
        let token = user.token
        let list: JSONValue = ["enrollments": [["mfaEnrollmentId": "mine", "phoneInfo": "+15555550100", "displayName": "Phone"]]]
        let missing = try await server.call("update", token.merging(["mfa": ["enrollments": [["phoneInfo": "+15555550100"]]]]))
        #expect(missing.errorMessage == "INVALID_MFA_ENROLLMENT_ID : mfaEnrollmentId must be defined.")
        #expect(try await server.call("update", token.merging(["mfa": list])).status == 200)
        #expect(try await server.account(user)["mfaInfo"]?[0]?["phoneInfo"] == "+15555550100")
        let pending = try await server.signIn("a@b.c")
        #expect(pending["mfaInfo"]?[0]?["phoneInfo"] == "+*******0100")
        #expect(pending["mfaInfo"]?[0]?["totpInfo"] == nil)
        #expect(try await server.call("update", token.merging(["displayName": "Ada"])).status == 200)
        #expect(try await server.account(user)["mfaInfo"]?.array?.count == 1)
        #expect(try await server.call("update", token.merging(["mfa": [:]])).status == 200)
        _ = try server.session(try await server.signIn("a@b.c"))
    }
}
