import Foundation
import Project
import Storage
import TestKit
import Testing

extension SecondFactorTests {
    @Test("is asked for by the contract's rules, in their order")
    func enrollmentErrors() async throws {
        let server = try await start()
        let user = try await server.signUp("a@b.c")
        let anonymous = try server.session(try await server.call("signUp", [:]))
        let unsupported = "UNSUPPORTED_FIRST_FACTOR : MFA is not available for the given first factor."
        let none: JSONValue = [:]
        let totp: JSONValue = ["totpEnrollmentInfo": [:]]
        let unverified = "UNVERIFIED_EMAIL : Need to verify email first before enrolling second factors."
        let cases: [(String, JSONValue, String)] = [
            ("", none, "MISSING_ID_TOKEN"), ("nonsense", none, "INVALID_ID_TOKEN"),
            (anonymous.idToken, none, unsupported), (user.idToken, totp, unverified),
        ]
        for (idToken, body, message) in cases {
            let token: JSONValue = ["idToken": .string(idToken)]
            #expect(try await server.callV2("mfaEnrollment:start", body.merging(token)).errorMessage == message)
        }
        let verified = try await server.verifiedUser("b@b.c")
        let token = verified.token
        for (body, message) in [
            ([:], "INVALID_ARGUMENT : ((Missing phoneEnrollmentInfo.))"),
            (["phoneEnrollmentInfo": [:]], "INVALID_PHONE_NUMBER : Invalid format."),
            (["phoneEnrollmentInfo": ["phoneNumber": "5550100"]], "INVALID_PHONE_NUMBER : Invalid format."),
        ] as [(JSONValue, String)] {
            #expect(try await server.callV2("mfaEnrollment:start", body.merging(token)).errorMessage == message)
        }
        let offer = try await server.callV2("mfaEnrollment:start", token.merging(["totpEnrollmentInfo": [:]]))
        let sessionInfo = try #require(offer["totpSessionInfo"]?["sessionInfo"])
        let other: JSONValue = ["idToken": .string(try await server.verifiedUser("c@b.c").idToken)]
        for (token, body, message) in [
            (token, [:], "INVALID_ARGUMENT : ((Missing phoneVerificationInfo.))"),
            (token, ["phoneVerificationInfo": ["sessionInfo": "x"]], "MISSING_CODE"),
            (token, ["phoneVerificationInfo": ["code": "1"]], "MISSING_SESSION_INFO"),
            (token, ["totpVerificationInfo": ["sessionInfo": "x"]], "MISSING_CODE"),
            (token, ["totpVerificationInfo": ["sessionInfo": "x", "verificationCode": "1"]], "INVALID_SESSION_INFO"),
            (token, ["totpVerificationInfo": ["sessionInfo": sessionInfo, "verificationCode": "abcdef"]], "INVALID_CODE"),
            (
                other, ["totpVerificationInfo": ["sessionInfo": sessionInfo, "verificationCode": "123456"]],
                "INVALID_SESSION_INFO"
            ),
        ] as [(JSONValue, JSONValue, String)] {
            #expect(try await server.callV2("mfaEnrollment:finalize", body.merging(token)).errorMessage == message)
        }
        server.clock.advance(by: .seconds(310))
        let stale = try await server.callV2("mfaEnrollment:start", token.merging(["totpEnrollmentInfo": [:]]))
        #expect(stale.errorMessage == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
        server.clock.advance(by: .seconds(310))
        let late = try await server.callV2(
            "mfaEnrollment:finalize",
            token.merging(["totpVerificationInfo": ["sessionInfo": sessionInfo, "verificationCode": "123456"]])
        )
        #expect(late.errorMessage == "SESSION_EXPIRED")
    }
    @Test("is shown by the contract's rules; its credential is nothing else, and dies with a new password (MFA-01)")
    func signInErrors() async throws {
        let server = try await start()
        let enrolled = try await server.enrollApp(try await server.verifiedUser("a@b.c"))
        let pending = try await server.signIn("a@b.c")
        let credential = try #require(pending["mfaPendingCredential"]?.string)
        let id: JSONValue = ["mfaEnrollmentId": .string(enrolled.enrollmentID)]
        let held: JSONValue = ["mfaPendingCredential": .string(credential)]
        for (body, message) in [
            ([:], "MISSING_MFA_PENDING_CREDENTIAL : Request does not have MFA pending credential."),
            (held, "MISSING_MFA_ENROLLMENT_ID : No second factor identifier is provided."),
            (id.merging(["mfaPendingCredential": "garbage"]), "INVALID_MFA_PENDING_CREDENTIAL"),
            (held.merging(["mfaEnrollmentId": "nobody"]), "MFA_ENROLLMENT_NOT_FOUND"),
            (held.merging(id), "INVALID_ARGUMENT : MFA provider not supported!"),
        ] as [(JSONValue, String)] {
            #expect(try await server.callV2("mfaSignIn:start", body).errorMessage == message)
        }
        let code: JSONValue = ["totpVerificationInfo": ["verificationCode": "abcdef"]]
        for (body, message) in [
            ([:], "MISSING_CREDENTIAL : Please set MFA Pending Credential."),
            (held, "INVALID_ARGUMENT : MFA provider not supported!"),
            (held.merging(["phoneVerificationInfo": [:]]), "MISSING_CODE"),
            (held.merging(["phoneVerificationInfo": ["code": "1"]]), "MISSING_SESSION_INFO"),
            (code.merging(id).merging(["mfaPendingCredential": "garbage"]), "INVALID_MFA_PENDING_CREDENTIAL"),
            (code.merging(held), "MISSING_MFA_ENROLLMENT_ID : No second factor identifier is provided."),
            (code.merging(held).merging(["mfaEnrollmentId": "nobody"]), "MFA_ENROLLMENT_NOT_FOUND"),
            (code.merging(held).merging(id), "INVALID_CODE"),
        ] as [(JSONValue, String)] {
            #expect(try await server.callV2("mfaSignIn:finalize", body).errorMessage == message)
        }
        // The credential gives no other access.
        #expect(try await server.call("lookup", ["idToken": .string(credential)]).errorMessage == "INVALID_ID_TOKEN")
        #expect(try await server.refresh(credential).errorMessage == "INVALID_REFRESH_TOKEN")
        #expect(try await server.call("update", ["oobCode": .string(credential)]).errorMessage == "INVALID_OOB_CODE")
        let link = try await server.call(
            "signInWithIdp",
            ["requestUri": "http://localhost", "pendingToken": .string(credential)]
        )
        #expect(link.errorMessage == "INVALID_PENDING_TOKEN")
        // It does not work in another tenant, after its expiry, or after a new password either.
        let foreign = code.merging(held).merging(id).merging(["tenantId": "closed"])
        let elsewhere = try await server.callV2("mfaSignIn:finalize", foreign)
        #expect(elsewhere.errorMessage == "OPERATION_NOT_ALLOWED : TOTP based MFA not enabled.")
        let reset = try await server.code("PASSWORD_RESET", ["email": "a@b.c"])
        let changed = try await server.call("resetPassword", ["oobCode": .string(reset), "newPassword": "secret-2"])
        #expect(changed.status == 200)
        #expect(try await server.show(enrolled, pending).errorMessage == "INVALID_MFA_PENDING_CREDENTIAL")
        // LNK-10: after the reset the factor is still required.
        let fresh = try await server.signIn("a@b.c", password: "secret-2")
        #expect(fresh["mfaPendingCredential"] != nil)
        server.clock.advance(by: .seconds(301))
        #expect(try await server.show(enrolled, fresh).errorMessage == "INVALID_MFA_PENDING_CREDENTIAL")
    }

    @Test("takes each code once, also from two at once (MFA-03)", arguments: Engine.allCases)
    func replay(engine: Engine) async throws {
        let server = try await start(on: engine)
        let enrolled = try await server.enrollApp(try await server.verifiedUser("a@b.c"))
        let code = enrolled.app.code(at: server.clock.now)
        var pending: [TestClient.Answer] = []
        for _ in 0..<4 { pending.append(try await server.signIn("a@b.c")) }
        let answers = try await withThrowingTaskGroup(of: TestClient.Answer.self) { tasks in
            for first in pending { tasks.addTask { try await server.show(enrolled, first, code: code) } }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { $0.status == 200 } == 1)
        #expect(answers.filter { $0.status != 200 }.allSatisfy { $0.errorMessage == "INVALID_CODE" })
        let late = try await server.signIn("a@b.c")
        for steps in [-1, 0] as [Int64] {
            let old = enrolled.app.code(at: server.clock.now, steps: steps)
            #expect(try await server.show(enrolled, late, code: old).errorMessage == "INVALID_CODE")
        }
    }

    @Test("takes no code from beyond the neighbouring steps, and none that enrolled it (MFA-03)")
    func window() async throws {
        let server = try await start()
        let user = try await server.verifiedUser("a@b.c")
        let enrolled = try await server.enrollApp(user)
        let pending = try await server.signIn("a@b.c")
        for steps in [-1, -2, 2] as [Int64] {
            let code = enrolled.app.code(at: server.clock.now, steps: steps)
            #expect(try await server.show(enrolled, pending, code: code).errorMessage == "INVALID_CODE")
        }
        let next = enrolled.app.code(at: server.clock.now, steps: 1)
        #expect(try await server.show(enrolled, pending, code: next).status == 200)
    }

    @Test("is not guessed in parallel; the owner gets in again, and neither step resets the other's count (MFA-04, MFA-08)")
    func guessing() async throws {
        let server = try await start()
        let enrolled = try await server.enrollApp(try await server.verifiedUser("a@b.c"))
        let first = try await server.signIn("a@b.c")
        let second = try await server.signIn("a@b.c")
        let codes = try await withThrowingTaskGroup(of: String?.self) { tasks in
            for number in 0..<30 {
                let pending = number.isMultiple(of: 2) ? first : second
                tasks.addTask { try await server.show(enrolled, pending, code: "guess\(number)").errorMessage }
            }
            return try await tasks.reduce(into: [String?]()) { $0.append($1) }
        }
        #expect(codes.count { $0 == "INVALID_CODE" } == 5)
        let refused = codes.compactMap(\.self).filter { $0.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") }
        #expect(refused.count == 25)
        // Neither a right password nor a right code before the end of the delay helps.
        let fresh = try await server.signIn("a@b.c")
        let early = try await server.show(enrolled, fresh)
        #expect(early.errorMessage?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true)
        #expect(early.header("Retry-After") == "30")
        server.clock.advance(by: .seconds(31))
        #expect(try await server.show(enrolled, fresh).status == 200)
        // The delay is over for the owner, but wrong passwords still lock the account.
        for _ in 0..<10 { _ = try await server.signIn("a@b.c", password: "wrong") }
        let locked = try await server.signIn("a@b.c")
        #expect(locked.errorMessage?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true)
    }

    @Test("forgets what sessions without it have asked for: changes of the address (MFA-05)", arguments: Engine.allCases)
    func plantedChange(engine: Engine) async throws {
        let server = try await start(on: engine)
        func ask(_ session: TestServer.Session, _ email: String) async throws -> JSONValue {
            let body: JSONValue = ["idToken": .string(session.idToken), "newEmail": .string(email)]
            return .string(try await server.code("VERIFY_AND_CHANGE_EMAIL", body))
        }
        let user = try await server.verifiedUser("a@b.c")
        let planted = try await ask(user, "thief@evil.example")
        let enrolled = try await server.enrollApp(user)
        #expect(try await server.call("update", ["oobCode": planted]).errorMessage == "INVALID_OOB_CODE")
        #expect(try await server.account(enrolled.session)["email"] == "a@b.c")
        // What was asked for with the factor is good, whatever comes after it.
        let own = try await ask(enrolled.session, "new@b.c")
        let factors: JSONValue = [
            ["mfaEnrollmentId": .string(enrolled.enrollmentID)], ["phoneInfo": "+16505550101", "displayName": "phone"],
        ]
        let more: JSONValue = ["localId": .string(user.localID), "mfa": ["enrollments": factors]]
        #expect(try await server.callAsAdmin("update", more).status == 200)
        #expect(try await server.call("update", ["oobCode": own])["newEmail"] == "new@b.c")
        // A first factor that an administrator gives is one, too.
        let other = try await server.verifiedUser("d@b.c")
        let second = try await ask(other, "thief2@evil.example")
        let given: JSONValue = ["localId": .string(other.localID), "mfa": ["enrollments": [["phoneInfo": "+16505550102"]]]]
        let answer = try await server.callAsAdmin("update", given)
        #expect(answer.status == 200, "\(answer.json)")
        #expect(try await server.call("update", ["oobCode": second]).errorMessage == "INVALID_OOB_CODE")
    }

    @Test("is withdrawn after a recent sign-in only, and guards the address (MFA-05, MFA-07)")
    func sensitive() async throws {
        let server = try await start()
        let user = try await server.verifiedUser("a@b.c")
        let enrolled = try await server.enrollApp(user)
        let change = try await server.call("update", enrolled.session.token.merging(["email": "new@b.c"]))
        #expect(change.errorMessage == "EMAIL_CHANGE_NEEDS_VERIFICATION")
        // In production clients cannot change factors.
        let emptied = try await server.call("update", enrolled.session.token.merging(["mfa": ["enrollments": []]]))
        #expect(emptied.status == 200)
        let account = try await server.account(enrolled.session)
        #expect(account["mfaInfo"]?.array?.count == 1)
        #expect(!account.text.contains("ecret"))
        server.clock.advance(by: .seconds(301))
        let late = try await server.callV2(
            "mfaEnrollment:withdraw",
            enrolled.session.token.merging(["mfaEnrollmentId": .string(enrolled.enrollmentID)])
        )
        #expect(late.errorMessage == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    }
}
