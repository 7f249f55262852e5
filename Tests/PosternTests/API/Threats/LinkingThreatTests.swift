import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("A way in that somebody adds to an account", .teardown, .timeLimit(.minutes(15)))
struct LinkingThreatTests {
    private func start(
        mode: ServerMode = .production,
        _ environment: [String: String] = [:],
        on engine: Engine = .sqlite
    ) async throws -> TestServer {
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
        return try await TestServer.start(mode: mode, environment: environment, project: withPhones, on: engine)
    }

    /// Every way in which a signed-in account gets another address or number.
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

    @Test("takes a recent sign-in where the operator wants that (LNK-06)", arguments: Engine.allCases)
    func recentLogin(engine: Engine) async throws {
        let server = try await start(["POSTERN_LIMITS_LINK_RECENT_LOGIN_SECONDS": "300"], on: engine)
        let victim = try await server.signUp("victim@example.com")
        server.clock.advance(by: .seconds(302))
        for (name, answer) in try await attempts(server, victim.idToken) {
            #expect(answer.errorMessage == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", "\(name): \(answer.json)")
        }
        let account = try await server.account(victim)
        #expect(account["email"] == "victim@example.com")
        #expect(account["phoneNumber"] == nil)
        #expect(try await server.refresh(victim.refreshToken).status == 200)
        // An anonymous account has no other sign-in, and it is meant to become permanent.
        let anonymous = try server.session(try await server.call("signUp", [:]))
        server.clock.advance(by: .seconds(302))
        let upgrade: JSONValue = ["idToken": .string(anonymous.idToken), "email": "new@example.com", "password": "secret-1"]
        #expect(try server.session(try await server.call("signUp", upgrade)).localID == anonymous.localID)
    }

    @Test("takes it also where another way in is replaced, if linking demands a more recent one than other changes")
    func replacing() async throws {
        let server = try await start(["POSTERN_LIMITS_LINK_RECENT_LOGIN_SECONDS": "60"])
        let owner = try await server.signUp("owner@example.com")
        server.clock.advance(by: .seconds(100))
        let mail: JSONValue = ["email": "other@example.com", "continueUrl": "https://app.example.com/done"]
        let code = try await server.code("EMAIL_SIGNIN", mail)
        let link: JSONValue = ["idToken": .string(owner.idToken), "email": "other@example.com", "oobCode": .string(code)]
        let answer = try await server.call("signInWithEmailLink", link)
        #expect(answer.errorMessage == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", "\(answer.json)")
    }

    @Test("takes none by default but for a password, and the account's owner is told of each (ruling 28)")
    func linkingByDefault() async throws {
        let server = try await start()
        let owner = try await server.verifiedUser("owner@example.com")
        server.clock.advance(by: .seconds(3000))
        let password: JSONValue = ["idToken": .string(owner.idToken), "email": "owner@example.com", "password": "secret-2"]
        #expect(try await server.call("signUp", password).errorMessage == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
        let phone = try await server.sendCode(TestServer.testNumber)["sessionInfo"]
        let numbered = try await server.signInWithPhone(phone, TestServer.testNumberCode, owner.token)
        #expect(try server.session(numbered).localID == owner.localID)
        let linked = try await server.signIn("oidc.test", server.oidcToken("o"), owner.token)
        #expect(try server.session(linked).localID == owner.localID)
        #expect(try await server.codes("RECOVER_EMAIL", to: "owner@example.com") == 2)
    }

    @Test("counts by the account, not by a session of its anonymous days (LNK-16)", arguments: Engine.allCases)
    func anonymousDays(engine: Engine) async throws {
        let server = try await start(["POSTERN_LIMITS_LINK_RECENT_LOGIN_SECONDS": "300"], on: engine)
        let anonymous = try server.session(try await server.call("signUp", [:]))
        // It becomes permanent without ending the session.
        let linked = try await server.signIn("oidc.test", server.oidcToken("o"), anonymous.token)
        #expect(try server.session(linked).localID == anonymous.localID)
        server.clock.advance(by: .seconds(302))
        for (name, answer) in try await attempts(server, anonymous.idToken) {
            #expect(answer.errorMessage == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", "\(name): \(answer.json)")
        }
    }

    @Test("gives nobody a proven address in the place of another, through whatever door (LNK-15)", arguments: [false, true])
    func detours(hidesAccounts: Bool) async throws {
        let refusal = "OPERATION_NOT_ALLOWED : Please verify the new email before changing email."
        let server = try await TestServer.start(project: TestServer.emailProject(hidesAccounts: hidesAccounts))
        let owner = try await server.verifiedUser("owner@example.com")
        _ = try await server.signUp("taken@example.com")
        let change: JSONValue = ["email": "thief@evil.example"]
        let password: JSONValue = ["email": "thief@evil.example", "password": "secret-2"]
        func attempts() async throws -> [TestClient.Answer] {
            let mail: JSONValue = ["email": "thief@evil.example", "continueUrl": "https://app.example.com/done"]
            let code = try await server.code("EMAIL_SIGNIN", mail)
            return [
                try await server.call("update", owner.token.merging(change)),
                try await server.call("signUp", owner.token.merging(password)),
                try await server.call("signInWithEmailLink", owner.token.merging(change).merging(["oobCode": .string(code)])),
            ]
        }
        for answer in try await attempts() { #expect(answer.errorMessage == refusal, "\(answer.json)") }
        let taken = try await server.call("signUp", owner.token.merging(["email": "taken@example.com", "password": "secret-2"]))
        #expect(taken.errorMessage == (hidesAccounts ? refusal : "EMAIL_EXISTS"))
        #expect(try await server.codes("RECOVER_EMAIL", to: "owner@example.com") == 0)
        // Removing its address does not let the account take another one.
        let removed = try await server.call("update", owner.token.merging(["deleteAttribute": ["EMAIL"]]))
        #expect(removed.status == 200 && removed["email"] == nil, "\(removed.json)")
        for answer in try await attempts() { #expect(answer.errorMessage == refusal, "\(answer.json)") }
        let provider = try server.oidcToken("thief", TestServer.email("thief@evil.example"))
        let linked = try await server.signIn("oidc.test", provider, owner.token)
        #expect(try await server.account(server.session(linked))["email"] == nil, "\(linked.json)")
        // The owner has a recovery code for the address again.
        #expect(try await server.codes("RECOVER_EMAIL", to: "owner@example.com") == 1)
        // Administrators may do this.
        let moved = try await server.callAsAdmin(
            "update",
            ["localId": .string(owner.localID), "email": "new@example.com", "emailVerified": true]
        )
        #expect(moved.status == 200, "\(moved.json)")
    }

    @Test("is not taken away by an old session, nor by one without the second factor (LNK-15)")
    func removal() async throws {
        let server = try await start()
        let owner = try await server.verifiedUser("owner@example.com")
        let enrolled = try await server.enrollApp(owner)
        let removals: [JSONValue] = [
            ["deleteAttribute": ["EMAIL"]], ["deleteAttribute": ["PASSWORD"]], ["deleteProvider": ["password"]],
            ["deleteProvider": ["oidc.test"]], ["deleteProvider": ["phone"]], ["deletePasskey": ["any"]],
            ["password": "secret-3"],
        ]
        for removal in removals {
            let weak = try await server.call("update", removal.merging(owner.token))
            #expect(weak.errorMessage == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", "\(removal)")
        }
        server.clock.advance(by: .seconds(302))
        for removal in removals {
            let old = try await server.call("update", removal.merging(["idToken": .string(enrolled.session.idToken)]))
            #expect(old.errorMessage == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", "\(removal)")
        }
        let pending = try await server.signIn("owner@example.com")
        let recent = try #require(try await server.show(enrolled, pending)["idToken"])
        let removed = try await server.call("update", ["idToken": recent, "deleteProvider": ["password"]])
        #expect(removed["email"] == "owner@example.com" && removed["emailVerified"] == true, "\(removed.json)")
        #expect(removed["passwordHash"] == nil)
        #expect(try await server.codes("RECOVER_EMAIL", to: "owner@example.com") == 1)
    }

    @Test("takes the place of another user of its provider only as that one may be unlinked (LNK-15)", arguments: Engine.allCases)
    func exchange(engine: Engine) async throws {
        do {
            let server = try await start(on: engine)
            func exchange(_ subject: String, by idToken: String) async throws -> TestClient.Answer {
                try await server.signIn("oidc.test", server.oidcToken(subject), ["idToken": .string(idToken)])
            }
            func holder(_ subject: String) async throws -> String? {
                try await server.core.database.read {
                    try $0.account(Scope(projectID: "demo-test"), providerID: "oidc.test", rawID: subject)?.localID
                }
            }
            let owner = try await server.verifiedUser("owner@example.com")
            let first = try server.session(try await exchange("owner", by: owner.idToken))
            server.clock.advance(by: .seconds(302))
            #expect(try await exchange("thief", by: first.idToken).errorMessage == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
            #expect(try await holder("owner") == owner.localID)
            let recent = try server.session(try await server.signIn("oidc.test", server.oidcToken("owner")))
            #expect(try server.session(try await exchange("other", by: recent.idToken)).localID == owner.localID)
            #expect(try await holder("owner") == nil)
            // A session that is older than the second factor has not shown it.
            let enrolled = try await server.enrollApp(recent)
            #expect(try await exchange("thief", by: recent.idToken).errorMessage == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
            #expect(try await holder("other") == owner.localID)
            #expect(try await exchange("again", by: enrolled.session.idToken).status == 200)
            #expect(try await holder("again") == owner.localID)
        }
        // As in the emulator.
        let server = try await start(mode: .development)
        let token = try server.oidcToken("owner")
        let session = try server.session(try await server.signIn("oidc.test", token))
        server.clock.advance(by: .seconds(302))
        let exchanged = try await server.signIn("oidc.test", server.oidcToken("other"), session.token)
        #expect(try server.session(exchanged).localID == session.localID)
    }

    @Test("is not lost with a password for the account's own address (ruling 26)", arguments: [false, true])
    func ownAddress(hidesAccounts: Bool) async throws {
        let server = try await TestServer.start(project: TestServer.emailProject(hidesAccounts: hidesAccounts))
        let token = try server.oidcToken("o", TestServer.email("owner@example.com"))
        let owner = try server.session(try await server.signIn("oidc.test", token))
        let body: JSONValue = ["idToken": .string(owner.idToken), "email": "Owner@example.com", "password": "secret-1"]
        let linked = try server.session(try await server.call("signUp", body))
        #expect(linked.localID == owner.localID)
        #expect(try await server.account(linked)["emailVerified"] == true)
        #expect(try await server.signIn("owner@example.com")["localId"] == .string(owner.localID))
        #expect(try await server.call("signUp", body.merging(["idToken": .null])).errorMessage == "EMAIL_EXISTS")
    }

    @Test(
        "has one canonical address: look-alikes are refused, and of racing sign-ups one wins (LNK-13, LNK-14)",
        arguments: Engine.allCases
    )
    func addresses(engine: Engine) async throws {
        let server = try await start(on: engine)
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

    @Test("and one that is taken away at the same time end in a state that both agree on (LNK-08)")
    func unlinkRace() async throws {
        let server = try await start()
        for round in 0..<10 {
            let token = try server.oidcToken("race-\(round)")
            let session = try server.session(try await server.signIn("oidc.test", token))
            let password: JSONValue = ["email": .string("race\(round)@example.com"), "password": "secret-1"]
            async let unlinked = server.call("update", session.token.merging(["deleteProvider": ["oidc.test"]]))
            async let linked = server.call("signUp", session.token.merging(password))
            #expect(try await unlinked.status == 200)
            #expect(try await linked.status == 200)
            let user = try #require(try await server.user(session.localID))
            #expect(user["providerUserInfo"]?.array?.compactMap { $0["providerId"]?.string } == ["password"])
            #expect(try await server.signIn("race\(round)@example.com")["localId"] == .string(session.localID))
        }
    }
}
