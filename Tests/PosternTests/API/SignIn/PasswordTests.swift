import Crypto
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Passwords
@testable import Server

@Suite("A password", .teardown, .timeLimit(.minutes(15)))
struct PasswordTests {
    @Test("makes an account, and signs in to it again", arguments: Engine.allCases)
    func roundTrip(engine: Engine) async throws {
        let server = try await TestServer.start(project: TestServer.emailProject(), on: engine)
        let answer = try await server.call("signUp", ["email": "Ada@Example.com", "password": "secret-1", "displayName": "Ada"])
        let session = try server.session(answer)
        #expect(answer["kind"] == "identitytoolkit#SignupNewUserResponse")
        #expect(answer["email"] == "ada@example.com")
        #expect(answer["displayName"] == "Ada")
        let claims = try payload(session)
        #expect(claims["firebase"]?["sign_in_provider"] == "password")
        #expect(claims["email_verified"] == false)
        let again = try await server.signIn("ADA@example.com")
        #expect(again["kind"] == "identitytoolkit#VerifyPasswordResponse")
        #expect(again["registered"] == true)
        #expect(again["displayName"] == "Ada")
        #expect(try server.session(again).localID == session.localID)
        let account = try await server.account(session)
        #expect(account["passwordHash"] == "UkVEQUNURUQ=")
        #expect(account["providerUserInfo"]?[0]?["providerId"] == "password")
        #expect(account["salt"] == nil)
        let stored = try await server.core.database.read {
            try $0.query("SELECT password_hash FROM accounts").map { try $0.text("password_hash") }
        }
        #expect(stored.allSatisfy { !$0.contains("secret-1") })
        #expect(server.log.lines.allSatisfy { !$0.contains("secret-1") })
    }

    @Test("sign-up is refused in the contract's order")
    func signUpErrors() async throws {
        let server = try await TestServer.start(project: TestServer.emailProject())
        _ = try await server.signUp("taken@b.c")
        for (body, message) in [
            (["localId": "x", "email": "a@b.c"], "UNEXPECTED_PARAMETER : User ID"),
            (["password": "secret-1"], "MISSING_EMAIL"), (["email": "a@b.c"], "MISSING_PASSWORD"),
            (["email": "nonsense", "password": "x"], "INVALID_EMAIL"),
            (["email": "taken@b.c", "password": "x"], "EMAIL_EXISTS"),
            (["email": "a@b.c", "password": "12345"], "WEAK_PASSWORD : Password should be at least 6 characters"),
            (["email": "a@b.c", "password": "secret-1", "idToken": "junk"], "INVALID_ID_TOKEN"),
        ] as [(JSONValue, String)] {
            #expect(try await server.call("signUp", body).errorMessage == message)
        }
        let off: JSONValue = ["email": "a@b.c", "password": "secret-1", "tenantId": "closed"]
        #expect(try await server.call("signUp", off).errorMessage == "OPERATION_NOT_ALLOWED")
        let signIn = try await server.call("signInWithPassword", off)
        #expect(signIn.errorMessage == "PASSWORD_LOGIN_DISABLED")
    }

    @Test("sign-in says what is wrong, or says nothing where accounts are hidden", arguments: [false, true])
    func signInErrors(hides: Bool) async throws {
        let server = try await TestServer.start(project: TestServer.emailProject(hidesAccounts: hides))
        let session = try await server.signUp("a@b.c")
        _ = try await server.signIn("oidc.test", try server.oidcToken("o", TestServer.email("oidc@b.c")))
        func message(_ body: JSONValue) async throws -> String? {
            try await server.call("signInWithPassword", body).errorMessage
        }
        #expect(try await message([:]) == "MISSING_EMAIL")
        #expect(try await message(["email": ""]) == "INVALID_EMAIL")
        #expect(try await message(["email": "a@b.c"]) == "MISSING_PASSWORD")
        let hidden = "INVALID_LOGIN_CREDENTIALS"
        #expect(try await message(["email": "no@b.c", "password": "x"]) == (hides ? hidden : "EMAIL_NOT_FOUND"))
        for email in ["a@b.c", "oidc@b.c"] {
            #expect(try await message(["email": .string(email), "password": "x"]) == (hides ? hidden : "INVALID_PASSWORD"))
        }
        let long = String(repeating: "x", count: 5000)
        #expect(try await message(["email": "a@b.c", "password": .string(long)]) == (hides ? hidden : "INVALID_PASSWORD"))
        _ = try await server.callAsAdmin("update", ["localId": .string(session.localID), "disableUser": true])
        #expect(try await message(["email": "a@b.c", "password": "secret-1"]) == "USER_DISABLED")
        #expect(try await message(["email": "a@b.c", "password": "x"]) == (hides ? hidden : "USER_DISABLED"))
    }

    @Test("is added to an anonymous account, which keeps its id", arguments: Engine.allCases)
    func upgrade(engine: Engine) async throws {
        let server = try await TestServer.start(project: TestServer.emailProject(), on: engine)
        let anonymous = try server.session(try await server.call("signUp", [:]))
        server.clock.advance(by: .seconds(2))
        let body: JSONValue = ["idToken": .string(anonymous.idToken), "email": "a@b.c", "password": "secret-1"]
        let upgraded = try server.session(try await server.call("signUp", body))
        #expect(upgraded.localID == anonymous.localID)
        #expect(try payload(upgraded)["provider_id"] == nil)
        #expect(try server.session(try await server.signIn("a@b.c")).localID == anonymous.localID)
        #expect(try await server.refresh(anonymous.refreshToken).errorMessage == "TOKEN_EXPIRED")
    }

    @Test("is changed by its user: old tokens die, new ones come, recent sign-in needed", arguments: Engine.allCases)
    func change(engine: Engine) async throws {
        let server = try await TestServer.start(project: TestServer.emailProject(), on: engine)
        let session = try await server.signUp("a@b.c")
        server.clock.advance(by: .seconds(2))
        func update(_ idToken: String, _ password: String) async throws -> TestClient.Answer {
            try await server.call("update", ["idToken": .string(idToken), "password": .string(password)])
        }
        #expect(try await update(session.idToken, "short").errorMessage?.hasPrefix("WEAK_PASSWORD") == true)
        let fresh = try server.session(try await update(session.idToken, "secret-2"))
        #expect(try await server.refresh(session.refreshToken).errorMessage == "TOKEN_EXPIRED")
        #expect(try await server.refresh(fresh.refreshToken).status == 200)
        #expect(try await server.signIn("a@b.c").errorMessage == "INVALID_PASSWORD")
        #expect(try await server.signIn("a@b.c", password: "secret-2").status == 200)
        server.clock.advance(by: .seconds(400))
        #expect(try await update(fresh.idToken, "secret-3").errorMessage == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    }

    @Test("must meet the policy, at sign-up, change and reset; an old one is told, or refused, at sign-in")
    func policy() async throws {
        for forces in [false, true] {
            let policy = """
                passwordPolicyConfig:
                    passwordPolicyEnforcementState: ENFORCE
                    forceUpgradeOnSignin: \(forces)
                    passwordPolicyVersions:
                      - customStrengthOptions: {containsNumericCharacter: true, minPasswordLength: 8}
                """
            let server = try await TestServer.start(project: TestServer.emailProject(policy))
            let refusal = "PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: ["
            let weak = try await server.call("signUp", ["email": "a@b.c", "password": "abcdefgh"])
            #expect(weak.errorMessage?.hasPrefix(refusal) == true)
            let session = try await server.signUp("a@b.c", "abcdefg8")
            // A password that is older than the policy.
            let stored = try await server.core.assembly.hasher.hash("old", for: nil).text
            let id = session.localID
            try await server.core.database.write { transaction in
                let scope = Scope(projectID: "demo-test")
                guard var account = try transaction.account(scope, localID: id) else { return }
                account.passwordHash = stored
                try transaction.updateAccount(scope, account)
            }
            let old = try await server.signIn("a@b.c", password: "old")
            if forces {
                #expect(old.errorMessage?.hasPrefix(refusal) == true)
            } else {
                let codes = old["userNotifications"]?.array?.compactMap { $0["notificationCode"]?.string }
                #expect(codes == ["MINIMUM_PASSWORD_LENGTH", "MISSING_NUMERIC_CHARACTER"])
            }
        }
    }

    @Test(
        "is compared exactly",
        arguments: ["pass\u{0}word", " spaces ", "🔑🔑🔑🔑🔑🔑", "e\u{301}tude1", String(repeating: "x", count: 4096)]
    )
    func exactness(password: String) async throws {
        let server = try await TestServer.start(project: TestServer.emailProject())
        _ = try await server.signUp("a@b.c", password)
        #expect(try await server.signIn("a@b.c", password: password).status == 200)
        let near = [password.trimmingCharacters(in: .whitespaces), password.precomposedStringWithCanonicalMapping]
        let others = near + ["\(password)x", String(password.prefix { $0 != "\u{0}" })]
        for other in others where Array(other.utf8) != Array(password.utf8) {
            #expect(try await server.signIn("a@b.c", password: other).errorMessage == "INVALID_PASSWORD")
        }
    }

    @Test("of another algorithm signs in once and is hashed anew")
    func rehash() async throws {
        let server = try await TestServer.start(project: TestServer.emailProject())
        let session = try await server.signUp("a@b.c")
        let scope = Scope(projectID: "demo-test")
        let algorithm = try PasswordAlgorithm(importing: ["hashAlgorithm": "HMAC_SHA256", "signerKey": "c2VjcmV0"])
        let key = SymmetricKey(data: Data("secret".utf8))
        let hash = HMAC<SHA256>.authenticationCode(for: Data("passwordNaCl".utf8), using: key)
        let imported = StoredPassword(algorithm: algorithm, salt: Array("NaCl".utf8), hash: Array(hash))
        let text = try #require(imported).text
        let id = session.localID
        try await server.core.database.write { transaction in
            guard var account = try transaction.account(scope, localID: id) else { return }
            account.passwordHash = text
            try transaction.updateAccount(scope, account)
        }
        #expect(try await server.signIn("a@b.c", password: "password").status == 200)
        let stored = try await server.core.database.read { try $0.account(scope, localID: id)?.passwordHash }
        #expect(stored != text)
        #expect(try await server.signIn("a@b.c", password: "password").status == 200)
        #expect(try await server.signIn("a@b.c", password: "Password").errorMessage == "INVALID_PASSWORD")
    }

    @Test("is guessed at ten times, then less and less often, and its owner still gets in", arguments: Engine.allCases)
    func guessing(engine: Engine) async throws {
        let environment = ["POSTERN_SERVER_TRUSTED_PROXIES": "127.0.0.0/8"]
        let server = try await TestServer.start(environment: environment, project: TestServer.emailProject(), on: engine)
        _ = try await server.signUp("a@b.c")
        func signIn(_ password: String, from address: String) async throws -> TestClient.Answer {
            try await server.client.post(
                "/v1/accounts:signInWithPassword?key=\(TestServer.apiKey)",
                ["email": "a@b.c", "password": .string(password)],
                headers: [("X-Forwarded-For", address)]
            )
        }
        #expect(try await signIn("secret-1", from: "192.0.2.1").status == 200)
        for number in 0..<10 {
            #expect(try await signIn("guess", from: "198.51.100.\(number)").errorMessage == "INVALID_PASSWORD")
        }
        let refused = try await signIn("secret-1", from: "198.51.100.99")
        #expect(refused.errorMessage?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true)
        #expect(refused.header("Retry-After") != nil)
        #expect(try await signIn("secret-1", from: "192.0.2.1").status == 200)
    }

    @Test("waits its turn in a bounded queue: past it 429, while everything else goes on")
    func overload() async throws {
        let environment = [
            "POSTERN_PASSWORDS_WORKERS": "1", "POSTERN_PASSWORDS_QUEUE_LIMIT": "1",
            "POSTERN_PASSWORDS_ARGON2_MEMORY_KIB": "65536",
        ]
        let server = try await TestServer.start(environment: environment, project: TestServer.emailProject())
        let session = try await server.signUp("user0@b.c")
        let hasher = server.core.assembly.hasher
        let mayGoOn = DispatchSemaphore(value: 0)
        async let held: Void = hasher.pool.run(for: nil) { mayGoOn.wait() }
        defer { mayGoOn.signal() }
        try await eventually { hasher.load.running == 1 }
        async let waiting = server.signIn("user1@b.c", password: "guess").status
        try await eventually { hasher.load.waiting == 1 }
        for number in 2..<20 {
            #expect(try await server.signIn("user\(number)@b.c", password: "guess").status == 429)
        }
        #expect(try await server.account(session)["email"] == "user0@b.c")
        mayGoOn.signal()
        try await held
        #expect(try await waiting == 400)
        // Passwords that were not checked do not count as failures.
        #expect(try await server.signIn("user0@b.c").status == 200)
    }
}
