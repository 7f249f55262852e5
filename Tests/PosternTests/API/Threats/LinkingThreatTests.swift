import Foundation
import Project
import TestKit
import Testing

@testable import postern

@Suite("A way in that somebody adds to an account", .timeLimit(.minutes(15)))
struct LinkingThreatTests {
    private func running(
        mode: ServerMode = .production,
        _ environment: [String: String] = [:],
        on engine: TestServer.Engine = .sqlite,
        _ body: (TestServer) async throws -> Void
    ) async throws {
        let project = TestServer.emailProject(
            """
            mfa: {state: ENABLED, enabledProviders: [PHONE_SMS], \
            providerConfigs: [{state: ENABLED, totpProviderConfig: {}}]}
            """
        )
        func withPhones(_ provider: FakeIDP) -> String {
            let numbers = #"phoneNumber: {enabled: true, testPhoneNumbers: {"+16505550101": "123456"}}, email:"#
            return project(provider).replacing("email:", with: numbers, maxReplacements: 1)
        }
        try await TestServer.running(
            mode: mode,
            environment: TestServer.cheapPasswords.merging(environment) { $1 },
            project: withPhones,
            on: engine,
            body
        )
    }

    /// Every door by which a signed-in account gets another address or number.
    private func attempts(_ server: TestServer, _ idToken: String) async throws -> [(String, TestClient.Answer)] {
        let token: JSONValue = ["idToken": .string(idToken)]
        let password: JSONValue = ["email": "thief@evil.example", "password": "secret-2"]
        let mail: JSONValue = ["email": "thief@evil.example", "continueUrl": "https://app.example.com/done"]
        let code = try await server.code("EMAIL_SIGNIN", mail)
        let link: JSONValue = ["email": "thief@evil.example", "oobCode": .string(code)]
        let session = try await server.sendCode(TestServer.testNumber)["sessionInfo"]
        return [
            ("password", try await server.call("signUp", token.merging(password))),
            ("link", try await server.call("signInWithEmailLink", token.merging(link))),
            ("phone", try await server.signInWithPhone(session, TestServer.testNumberCode, token)),
        ]
    }

    @Test("takes a recent sign-in, whichever it is (LNK-06)", arguments: TestServer.Engine.allCases)
    func recentLogin(engine: TestServer.Engine) async throws {
        try await running(on: engine) { server in
            let victim = try await server.signUp("victim@example.com")
            server.clock.advance(by: .seconds(302))
            for (name, answer) in try await attempts(server, victim.idToken) {
                #expect(answer.errorMessage == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", "\(name): \(answer.json)")
            }
            let account = try await server.account(victim)
            #expect(account["email"] == "victim@example.com")
            #expect(account["phoneNumber"] == nil)
            #expect(try await server.refresh(victim.refreshToken).status == 200)
            // An anonymous account has no other sign-in, and becoming permanent is what it is for.
            let anonymous = try server.session(try await server.call("signUp", [:]))
            server.clock.advance(by: .seconds(302))
            let upgrade: JSONValue = ["idToken": .string(anonymous.idToken), "email": "new@example.com", "password": "secret-1"]
            #expect(try server.session(try await server.call("signUp", upgrade)).localID == anonymous.localID)
        }
    }

    @Test("does not replace the address of an account with second factors")
    func secondFactors() async throws {
        try await running { server in
            let victim = try await server.enrollApp(try await server.verifiedUser("victim@example.com")).session
            let body: JSONValue = ["idToken": .string(victim.idToken), "email": "thief@evil.example", "password": "secret-2"]
            let refused = try await server.call("signUp", body)
            #expect(refused.errorMessage == "EMAIL_CHANGE_NEEDS_VERIFICATION", "\(refused.json)")
            #expect(try await server.user(victim.localID)?["email"] == "victim@example.com")
            #expect(try await server.signIn("victim@example.com")["mfaPendingCredential"] != nil)
        }
    }

    @Test("leaves the owner of a replaced address a way back, which ends the new password (LNK-11)")
    func wayBack() async throws {
        let smtp = try await SMTPServer.start()
        let environment = [
            "POSTERN_EMAIL_TRANSPORT": "smtp", "POSTERN_EMAIL_SMTP_URL": "smtp://127.0.0.1:\(smtp.port)",
            "POSTERN_EMAIL_FROM": "Postern <noreply@example.com>",
        ]
        try await running(environment) { server in
            let doors: [(String, String, (TestServer.Session) async throws -> TestClient.Answer)] = [
                (
                    "one@example.com", "signUp",
                    { session in
                        let change: JSONValue = ["email": "thief1@evil.example", "password": "secret-2"]
                        return try await server.call("signUp", change.merging(["idToken": .string(session.idToken)]))
                    }
                ),
                (
                    "two@example.com", "update",
                    { session in
                        let change: JSONValue = ["email": "thief2@evil.example", "password": "secret-2"]
                        return try await server.call("update", change.merging(["idToken": .string(session.idToken)]))
                    }
                ),
                (
                    "three@example.com", "code",
                    { session in
                        let change: JSONValue = ["idToken": .string(session.idToken), "newEmail": "thief3@evil.example"]
                        let code = try await server.code("VERIFY_AND_CHANGE_EMAIL", change)
                        #expect(try await server.call("update", ["oobCode": .string(code)])["newEmail"] == "thief3@evil.example")
                        let reset = try await server.code("PASSWORD_RESET", ["email": "thief3@evil.example"])
                        let password: JSONValue = ["oobCode": .string(reset), "newPassword": "secret-2"]
                        #expect(try await server.call("resetPassword", password).status == 200)
                        return try await server.call(
                            "signInWithPassword",
                            ["email": "thief3@evil.example", "password": "secret-2"]
                        )
                    }
                ),
            ]
            for (index, (email, name, take)) in doors.enumerated() {
                let owner = try await server.signUp(email)
                server.clock.advance(by: .seconds(1))
                let thief = try server.session(try await take(owner))
                #expect(try await server.account(thief)["email"] != .string(email))
                // A way in of the thief's own.
                let subject = "thief-\(index)"
                let linked = try await server.signIn("oidc.test", server.oidcToken(subject), ["idToken": .string(thief.idToken)])
                #expect(linked["localId"] == .string(owner.localID), "\(linked.json)")
                let text = try #require(try await smtp.message(index + 1)["parts"]?["text/plain"]?.string, "\(name)")
                let code = try #require(text.firstMatch(of: /oobCode=([A-Za-z0-9_-]+)/).map { String($0.1) })
                server.clock.advance(by: .seconds(1))
                let recovered = try await server.call("update", ["oobCode": .string(code)])
                #expect(recovered["email"] == .string(email), "\(name): \(recovered.json)")
                let stranger = try await server.signIn("oidc.test", server.oidcToken(subject))
                #expect(stranger["isNewUser"] == true, "\(name): \(stranger.json)")
                #expect(try await server.refresh(thief.refreshToken).errorMessage == "TOKEN_EXPIRED")
                let token: JSONValue = ["idToken": .string(thief.idToken)]
                #expect(try await server.call("lookup", token).errorMessage == "TOKEN_EXPIRED")
                for password in ["secret-1", "secret-2"] {
                    #expect(try await server.signIn(email, password: password).errorMessage == "INVALID_PASSWORD", "\(name)")
                }
                let reset = try await server.code("PASSWORD_RESET", ["email": .string(email)])
                let body: JSONValue = ["oobCode": .string(reset), "newPassword": "secret-3"]
                #expect(try await server.call("resetPassword", body).status == 200)
                #expect(try await server.signIn(email, password: "secret-3")["localId"] == .string(owner.localID))
            }
        }
        await smtp.stop()
    }

    @Test(
        "a way back that is refused takes nothing away, and one from the last of several changes ends what came after the first"
    )
    func refusedAndLateWayBack() async throws {
        let smtp = try await SMTPServer.start()
        let environment = [
            "POSTERN_EMAIL_TRANSPORT": "smtp", "POSTERN_EMAIL_SMTP_URL": "smtp://127.0.0.1:\(smtp.port)",
            "POSTERN_EMAIL_FROM": "Postern <noreply@example.com>",
        ]
        try await running(environment) { server in
            func move(_ session: TestServer.Session, to email: String) async throws -> TestServer.Session {
                server.clock.advance(by: .seconds(1))
                let body: JSONValue = ["idToken": .string(session.idToken), "email": .string(email), "returnSecureToken": true]
                return try server.session(try await server.call("update", body))
            }
            func code(_ message: Int) async throws -> JSONValue {
                let text = try #require(try await smtp.message(message)["parts"]?["text/plain"]?.string)
                return .string(try #require(text.firstMatch(of: /oobCode=([A-Za-z0-9_-]+)/).map { String($0.1) }))
            }
            func link(_ subject: String, _ session: TestServer.Session) async throws {
                let linked = try await server.signIn(
                    "oidc.test",
                    server.oidcToken(subject),
                    ["idToken": .string(session.idToken)]
                )
                #expect(linked["localId"] == .string(session.localID), "\(linked.json)")
            }
            let first = try await move(server.signUp("old@example.com"), to: "thief@evil.example")
            try await link("one", first)
            _ = try await server.signUp("old@example.com")
            #expect(try await server.call("update", ["oobCode": code(1)]).errorMessage == "EMAIL_EXISTS")
            #expect(try await server.signIn("oidc.test", server.oidcToken("one"))["localId"] == .string(first.localID))

            let second = try await move(server.signUp("two@example.com"), to: "thief1@evil.example")
            try await link("two", second)
            _ = try await move(second, to: "thief2@evil.example")
            #expect(try await server.call("update", ["oobCode": code(3)])["email"] == "two@example.com")
            #expect(try await server.signIn("oidc.test", server.oidcToken("two"))["isNewUser"] == true)
        }
        await smtp.stop()
    }

    @Test(
        "has one canonical address: look-alikes are refused, and of racing sign-ups one wins (LNK-13, LNK-14)",
        arguments: TestServer.Engine.allCases
    )
    func addresses(engine: TestServer.Engine) async throws {
        try await running(on: engine) { server in
            for email in [
                "a\u{FF20}example.com", "ad\u{0131}@example.com", "\u{212A}@example.com", "e\u{0301}@example.com",
                "\u{E9}@example.com",
                "a@ex\u{0430}mple.com", "a@x.example,b@y.example", "a@x.example\nBcc: b@y.example", "Ada <a@example.com>",
                "\"a b\"@example.com", "a@b@example.com", " a@example.com", "a@example..com", "@example.com",
                String(repeating: "a", count: 400) + "@example.com",
            ] {
                let body: JSONValue = ["email": .string(email), "password": "secret-1"]
                #expect(try await server.call("signUp", body).errorMessage == "INVALID_EMAIL", "\(email)")
                let mail: JSONValue = ["email": .string(email), "requestType": "PASSWORD_RESET"]
                #expect(try await server.call("sendOobCode", mail).errorMessage == "INVALID_EMAIL", "\(email)")
                #expect(try await server.admin("accounts", body).errorMessage == "INVALID_EMAIL", "\(email)")
            }
            let answers = try await withThrowingTaskGroup(of: TestClient.Answer.self) { tasks in
                for email in ["race@example.com", "RACE@example.com", "Race@EXAMPLE.com", "race@example.COM"] {
                    for _ in 0..<3 {
                        tasks.addTask { try await server.call("signUp", ["email": .string(email), "password": "secret-1"]) }
                    }
                }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count { $0.status == 200 } == 1)
            #expect(answers.allSatisfy { $0.status == 200 || $0.errorMessage == "EMAIL_EXISTS" })
            #expect(answers.first { $0.status == 200 }?["email"] == "race@example.com")
        }
    }

    @Test("and one that is taken away at the same time end in a state that both agree on (LNK-08)")
    func unlinkRace() async throws {
        try await running { server in
            for round in 0..<10 {
                let token = try server.oidcToken("race-\(round)")
                let session = try server.session(try await server.signIn("oidc.test", token))
                let body: JSONValue = ["idToken": .string(session.idToken)]
                let password: JSONValue = ["email": .string("race\(round)@example.com"), "password": "secret-1"]
                async let unlinked = server.call("update", body.merging(["deleteProvider": ["oidc.test"]]))
                async let linked = server.call("signUp", body.merging(password))
                #expect(try await unlinked.status == 200)
                #expect(try await linked.status == 200)
                let user = try #require(try await server.user(session.localID))
                #expect(user["providerUserInfo"]?.array?.compactMap { $0["providerId"]?.string } == ["password"])
                #expect(try await server.signIn("race\(round)@example.com")["localId"] == .string(session.localID))
            }
        }
    }
}
