import Foundation
import Passwords
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("Guessing and flooding", .teardown, .timeLimit(.minutes(15)))
struct GuessingThreatTests {
    private func fill(_ server: TestServer, _ prefix: String, to count: Int64) async throws {
        let pattern = prefix + "%"
        try await server.core.database.write { transaction throws in
            _ = try transaction.execute("UPDATE throttles SET count = \(count) WHERE bucket LIKE \(pattern)")
        }
    }

    @Test(
        "the fixed code of a fictional number is over after 40 wrong ones in an hour, in however many sessions (OTP-01, OTP-08)",
        arguments: Engine.allCases
    )
    func fictionalNumbers(engine: Engine) async throws {
        let server = try await TestServer.start(project: TestServer.phoneProject(), on: engine)
        let early = try await server.sendCode(TestServer.testNumber)["sessionInfo"]
        for _ in 0..<8 {
            let session = try await server.sendCode(TestServer.testNumber)["sessionInfo"]
            for code in 0..<5 {
                let answer = try await server.signInWithPhone(session, "00000\(code)")
                #expect(answer.errorMessage == "INVALID_CODE")
            }
            #expect(try await server.signInWithPhone(session, "000005").errorMessage == "SESSION_EXPIRED")
        }
        for session in [early, try await server.sendCode(TestServer.testNumber)["sessionInfo"]] {
            let right = try await server.signInWithPhone(session, TestServer.testNumberCode)
            #expect(right.errorMessage == "TOO_MANY_ATTEMPTS_TRY_LATER : Too many wrong codes. Please try again later.")
            #expect(right.header("Retry-After") == "3600")
        }
        // Other numbers still work, and so does this one after the hour.
        _ = try await server.phoneSession("+16505550102", "654321")
        server.clock.advance(by: .seconds(3600))
        _ = try await server.phoneSession()
    }

    @Test("a phone gets no more messages in a day than in four hours, and waits ever longer for them (OTP-09)")
    func messagesOfDay() async throws {
        let hook = try await LoopbackService.start()
        let environment = [
            "POSTERN_SMS_TRANSPORT": "webhook", "POSTERN_SMS_WEBHOOK_URL": hook.origin + "/sms",
            "POSTERN_SMS_WEBHOOK_SECRET": "a web hook's secret", "POSTERN_LIMITS_PHONE_PER_NUMBER_PER_HOUR": "1",
        ]
        let server = try await TestServer.start(environment: environment, project: TestServer.phoneProject())
        func send() async throws -> TestClient.Answer {
            try await server.sendCode("+16505551234", try await server.appProof())
        }
        for hours in [1, 2, 4, 1] {
            #expect(try await send().status == 200)
            server.clock.advance(by: .seconds(3600 * hours))
        }
        let refused = try await send()
        #expect(refused.errorMessage?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true, "\(refused.json)")
        #expect(refused.header("Retry-After") == "57600")
        server.clock.advance(by: .seconds(57_600))
        #expect(try await send().status == 200)
    }

    @Test("an unknown address, a wrong password, none at all and a disabled account take one hash each (ENU-01)")
    func hashes() async throws {
        let server = try await TestServer.start(project: TestServer.emailProject(hidesAccounts: true))
        _ = try await server.signUp("known@example.com")
        let disabled = try await server.signUp("disabled@example.com")
        #expect(
            try await server.callAsAdmin("update", ["localId": .string(disabled.localID), "disableUser": true]).status == 200
        )
        #expect(try await server.admin("accounts", ["email": "without@example.com"]).status == 200)
        var bodies: Set<String> = []
        for name in ["unknown", "known", "disabled", "without"] {
            let before = server.core.assembly.hasher.load.defaultHashes
            let answer = try await server.signIn("\(name)@example.com", password: "wrong password")
            #expect(server.core.assembly.hasher.load.defaultHashes - before == 1, "\(name)")
            bodies.insert("\(answer.status) \(answer.json.text)")
        }
        #expect(bodies.count == 1, "\(bodies)")
    }

    @Test("who is refused too often at the token endpoint waits; good assertions count nothing (TEN-05)")
    func assertions() async throws {
        let environment = [
            "POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com", "POSTERN_SERVER_TRUSTED_PROXIES": "127.0.0.1",
        ]
        let server = try await TestServer.start(environment: environment)
        let minter = try await CustomTokenTests.Minter(on: server)
        func exchange(_ assertion: String, from address: String = "192.0.2.1") async throws -> TestClient.Answer {
            let type = "urn:ietf:params:oauth:grant-type:jwt-bearer"
            return try await server.client.send(
                "POST",
                "/oauth2/token",
                headers: [("Content-Type", "application/x-www-form-urlencoded"), ("X-Forwarded-For", address)],
                body: Data(TestClient.encode([("grant_type", type), ("assertion", assertion)]).utf8)
            )
        }
        func assertion(_ id: Int) throws -> String {
            let now = server.clock.now.seconds
            return try minter.key.token(claims: [
                "iss": .string(minter.email), "aud": "https://auth.example.com/oauth2/token", "iat": .integer(now),
                "exp": .integer(now + 3600), "jti": .string("\(id)"),
            ])
        }
        #expect(try await exchange("forged").status == 400)
        try await fill(server, "assertions:from:", to: 199)
        for id in 0..<5 { #expect(try await exchange(try assertion(id)).status == 200) }
        #expect(try await exchange("forged").status == 400)
        let refused = try await exchange("forged")
        #expect(refused.status == 429)
        #expect(refused["error"] == "temporarily_unavailable")
        #expect(refused.header("Retry-After") == "3600")
        #expect(try await exchange(try assertion(6), from: "192.0.2.2").status == 200)
        server.clock.advance(by: .seconds(3600))
        #expect(try await exchange(try assertion(7)).status == 200)
    }

    @Test("begun sign-ins at providers are bounded for each network, and so are the audit trail's refusals")
    func rows() async throws {
        let server = try await FlowServer.start()
        func begin() async throws -> TestClient.Answer {
            try await server.call("createAuthUri", ["providerId": "github.com", "continueUri": .string(FlowServer.redirect)])
        }
        #expect(try await begin().status == 200)
        try await fill(server, "flows:from:", to: 3000)
        let refused = try await begin()
        #expect(refused.errorMessage?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true, "\(refused.json)")
        #expect(refused.header("Retry-After") == "3600")
        var browser = HandlerBrowser(server: server)
        let page = try await browser.open(HandlerBrowser.web("signInViaPopup", eventID: "1"))
        #expect(page.header("Location") == nil && page.event["error"]?["code"] == "auth/too-many-requests")
        for limit in [0, 1000] as [Int64] {
            let before = try await server.auditDetails("refused").count
            try await fill(server, "refusals:from:", to: limit)
            #expect(try await server.signIn("github.com", form: [("access_token", "made up")]).status == 400)
            let more = try await server.auditDetails("refused").dropFirst(before)
            #expect(more.map { $0["beyondLimit"] } == [limit == 0 ? nil : true])
            // Equal refusals of the next minute are no longer counted on the record.
            server.clock.advance(by: .seconds(60))
        }
    }
}
