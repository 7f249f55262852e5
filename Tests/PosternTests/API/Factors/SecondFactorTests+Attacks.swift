import Foundation
import Project
import Storage
import TestKit
import Testing

extension SecondFactorTests {
    @Test("takes each code once, also from two at once (MFA-03)", arguments: TestServer.Engine.allCases)
    func replay(engine: TestServer.Engine) async throws {
        try await running(on: engine) { server in
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
    }

    @Test("takes no code from beyond the neighbouring steps, and none that enrolled it (MFA-03)")
    func window() async throws {
        try await running { server in
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
    }

    @Test("is not guessed in parallel; the owner gets in again, and neither step resets the other's count (MFA-04, MFA-08)")
    func guessing() async throws {
        try await running { server in
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
    }

    @Test(
        "forgets what sessions without it have asked for: changes of the address (MFA-05)",
        arguments: TestServer.Engine.allCases
    )
    func plantedChange(engine: TestServer.Engine) async throws {
        try await running(on: engine) { server in
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
    }

    @Test("is withdrawn after a recent sign-in only, and guards the address (MFA-05, MFA-07)")
    func sensitive() async throws {
        try await running { server in
            let user = try await server.verifiedUser("a@b.c")
            let enrolled = try await server.enrollApp(user)
            let token: JSONValue = ["idToken": .string(enrolled.session.idToken)]
            let change = try await server.call("update", token.merging(["email": "new@b.c"]))
            #expect(change.errorMessage == "EMAIL_CHANGE_NEEDS_VERIFICATION")
            // In production clients cannot change factors.
            let emptied = try await server.call("update", token.merging(["mfa": ["enrollments": []]]))
            #expect(emptied.status == 200)
            let account = try await server.account(enrolled.session)
            #expect(account["mfaInfo"]?.array?.count == 1)
            #expect(!account.text.contains("ecret"))
            server.clock.advance(by: .seconds(301))
            let late = try await server.callV2(
                "mfaEnrollment:withdraw",
                token.merging(["mfaEnrollmentId": .string(enrolled.enrollmentID)])
            )
            #expect(late.errorMessage == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
        }
    }
}
