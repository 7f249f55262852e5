import Foundation
import Project
import Storage
import TestKit
import Testing

@Suite("A code sent by e-mail", .teardown, .timeLimit(.minutes(15)))
struct EmailCodeTests {
    func start(
        on engine: Engine = .sqlite,
        hidesAccounts: Bool = false,
        _ environment: [String: String] = [:]
    ) async throws -> TestServer {
        try await TestServer.start(
            environment: environment,
            project: TestServer.emailProject(hidesAccounts: hidesAccounts),
            on: engine
        )
    }

    @Test("resets a password once: sessions and providers go, the address is proven", arguments: Engine.allCases)
    func passwordReset(engine: Engine) async throws {
        let server = try await start(on: engine)
        let session = try await server.signUp("a@b.c")
        let older = try await server.code("PASSWORD_RESET", ["email": "a@b.c"])
        let code = try await server.code("PASSWORD_RESET", ["email": "A@b.c"])
        func reset(_ code: String, _ password: String? = nil) async throws -> TestClient.Answer {
            try await server.call(
                "resetPassword",
                ["oobCode": .string(code), "newPassword": password.map { .string($0) } ?? .null]
            )
        }
        #expect(try await reset(older).errorMessage == "INVALID_OOB_CODE")
        let peek = try await reset(code)
        #expect(peek["requestType"] == "PASSWORD_RESET")
        #expect(peek["email"] == "a@b.c")
        #expect(try await reset(code, "12345").errorMessage?.hasPrefix("WEAK_PASSWORD") == true)
        server.clock.advance(by: .seconds(2))
        #expect(try await reset(code, "secret-2").status == 200)
        #expect(try await reset(code, "secret-3").errorMessage == "INVALID_OOB_CODE")
        #expect(try await server.refresh(session.refreshToken).errorMessage == "TOKEN_EXPIRED")
        let again = try server.session(try await server.signIn("a@b.c", password: "secret-2"))
        #expect(try await server.account(again)["emailVerified"] == true)
        #expect(try await server.call("resetPassword", [:]).errorMessage == "MISSING_OOB_CODE")
    }

    @Test("expires, and is of one kind")
    func kinds() async throws {
        let server = try await start()
        let session = try await server.signUp("a@b.c")
        let verify = try await server.code("VERIFY_EMAIL", session.token)
        let refused = try await server.call("resetPassword", ["oobCode": .string(verify), "newPassword": "secret-2"])
        #expect(refused.errorMessage == "INVALID_OOB_CODE")
        let reset = try await server.code("PASSWORD_RESET", ["email": "a@b.c"])
        #expect(try await server.call("update", ["oobCode": .string(reset)]).errorMessage == "INVALID_OOB_CODE")
        server.clock.advance(by: .seconds(3601))
        #expect(try await server.call("resetPassword", ["oobCode": .string(reset)]).errorMessage == "EXPIRED_OOB_CODE")
        let verified = try await server.call("update", ["oobCode": .string(verify)])
        #expect(verified["emailVerified"] == true)
        #expect(verified["idToken"] == nil)
        #expect(try await server.call("update", ["oobCode": .string(verify)]).errorMessage == "INVALID_OOB_CODE")
    }

    @Test("changes the address, and gives it back to its first owner", arguments: Engine.allCases)
    func addressChange(engine: Engine) async throws {
        let server = try await start(on: engine)
        let session = try await server.signUp("old@b.c")
        _ = try await server.signUp("taken@b.c")
        server.clock.advance(by: .seconds(1))
        func update(_ idToken: String, _ email: String) async throws -> TestClient.Answer {
            try await server.call("update", ["idToken": .string(idToken), "email": .string(email)])
        }
        #expect(try await update(session.idToken, "nonsense").errorMessage == "INVALID_EMAIL")
        #expect(try await update(session.idToken, "taken@b.c").errorMessage == "EMAIL_EXISTS")
        #expect(try await update(session.idToken, "old@b.c")["idToken"] == nil)
        let changed = try await update(session.idToken, "new@b.c")
        let fresh = try server.session(changed)
        #expect(changed["newEmail"] == "new@b.c")
        let account = try await server.account(fresh)
        #expect(account["initialEmail"] == "old@b.c")
        #expect(account["emailVerified"] == false)
        // No recovery code leads back to an address that was never proven (ruling 36).
        #expect(try await server.codes("RECOVER_EMAIL", to: "old@b.c") == 0)
        // With a code, as SDKs do it when addresses must be proven first.
        let code = try await server.code(
            "VERIFY_AND_CHANGE_EMAIL",
            ["idToken": .string(fresh.idToken), "newEmail": "proven@b.c"]
        )
        let peek = try await server.call("resetPassword", ["oobCode": .string(code)])
        #expect(peek["newEmail"] == "proven@b.c")
        let applied = try await server.call("update", ["oobCode": .string(code)])
        #expect(applied["newEmail"] == "proven@b.c")
        #expect(applied["emailVerified"] == true)
        // The mailbox is the first proof for the account, because the password may be another person's.
        #expect(try await server.signIn("proven@b.c").errorMessage == "INVALID_PASSWORD")
        #expect(try await server.signIn("new@b.c").errorMessage == "EMAIL_NOT_FOUND")
    }

    @Test("signs in by link: new users, known ones, and planted accounts lose their password", arguments: Engine.allCases)
    func emailLink(engine: Engine) async throws {
        let server = try await start(on: engine)
        func signIn(_ email: String, _ code: String, _ more: JSONValue = [:]) async throws -> TestClient.Answer {
            let body: JSONValue = ["email": .string(email), "oobCode": .string(code)]
            return try await server.call("signInWithEmailLink", body.merging(more))
        }
        let link: JSONValue = ["email": "a@b.c", "continueUrl": "https://app.example.com/done"]
        let code = try await server.code("EMAIL_SIGNIN", link)
        let mismatch = "INVALID_EMAIL : The email provided does not match the sign-in email address."
        #expect(try await signIn("other@b.c", code).errorMessage == mismatch)
        let answer = try await signIn("A@b.c", code)
        let session = try server.session(answer)
        #expect(answer["isNewUser"] == true)
        #expect(answer["kind"] == "identitytoolkit#EmailLinkSigninResponse")
        #expect(try payload(session)["firebase"]?["sign_in_provider"] == "password")
        #expect(try await signIn("a@b.c", code).errorMessage == "INVALID_OOB_CODE")
        let account = try await server.account(session)
        #expect(account["emailLinkSignin"] == true)
        #expect(account["emailVerified"] == true)

        let planted = try await server.signUp("victim@b.c")
        let victim = try await server.code("EMAIL_SIGNIN", link.merging(["email": "victim@b.c"]))
        server.clock.advance(by: .seconds(2))
        let taken = try server.session(try await signIn("victim@b.c", victim))
        #expect(taken.localID == planted.localID)
        #expect(try await server.signIn("victim@b.c").errorMessage == "INVALID_PASSWORD")
        #expect(try await server.refresh(planted.refreshToken).errorMessage == "TOKEN_EXPIRED")

        let linking = try await server.code("EMAIL_SIGNIN", link.merging(["email": "victim@b.c"]))
        let foreign = try await signIn("victim@b.c", linking, session.token)
        #expect(foreign.errorMessage == "EMAIL_EXISTS")
        #expect(try await signIn("victim@b.c", linking).errorMessage == "INVALID_OOB_CODE")
        let anonymous = try server.session(try await server.call("signUp", [:]))
        let third = try await server.code("EMAIL_SIGNIN", link.merging(["email": "third@b.c"]))
        let linked = try server.session(try await signIn("third@b.c", third, anonymous.token))
        #expect(linked.localID == anonymous.localID)
    }

    @Test("is asked for in the contract's order")
    func requestErrors() async throws {
        let server = try await start()
        let session = try await server.signUp("a@b.c")
        let anonymous = try server.session(try await server.call("signUp", [:]))
        let token: JSONValue = .string(session.idToken)
        for (body, message) in [
            ([:], "MISSING_REQ_TYPE"), (["requestType": "RECOVER_EMAIL"], "INVALID_REQ_TYPE"),
            (["requestType": 1, "returnOobLink": true, "email": "a@b.c"], "INSUFFICIENT_PERMISSION"),
            (["requestType": "PASSWORD_RESET"], "MISSING_EMAIL"),
            (["requestType": "PASSWORD_RESET", "email": "no@b.c"], "EMAIL_NOT_FOUND"),
            (
                ["requestType": "PASSWORD_RESET", "email": "a@b.c", "continueUrl": "nonsense"],
                "INVALID_CONTINUE_URI : ((expected an absolute URI with valid scheme and host))"
            ),
            (
                ["requestType": "PASSWORD_RESET", "email": "a@b.c", "continueUrl": "https://evil.example"],
                "UNAUTHORIZED_DOMAIN : Domain not allowlisted by project"
            ),
            (
                ["requestType": "PASSWORD_RESET", "email": "a@b.c", "continueUrl": "https://evil.example\\@app.example.com"],
                "INVALID_CONTINUE_URI : ((unsupported characters))"
            ),
            (["requestType": "PASSWORD_RESET", "iOSAppStoreId": "1"], "MISSING_IOS_BUNDLE_ID"),
            (["requestType": "PASSWORD_RESET", "androidInstallApp": true], "MISSING_ANDROID_PACKAGE_NAME"),
            (["requestType": "PASSWORD_RESET", "androidMinimumVersion": "12"], "MISSING_ANDROID_PACKAGE_NAME"),
            (["requestType": "PASSWORD_RESET", "dynamicLinkDomain": "a.page.link"], "INVALID_DYNAMIC_LINK_DOMAIN"),
            (["requestType": "VERIFY_EMAIL"], "INVALID_ID_TOKEN"),
            (["requestType": "VERIFY_EMAIL", "idToken": .string(anonymous.idToken)], "MISSING_EMAIL"),
            (["requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": token], "MISSING_NEW_EMAIL"),
            (["requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "n@b.c"], "MISSING_ID_TOKEN"),
            (["requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": token, "newEmail": "x"], "INVALID_NEW_EMAIL"),
            (["requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": token, "newEmail": "a@b.c"], "EMAIL_EXISTS"),
            (["requestType": "EMAIL_SIGNIN", "email": "a@b.c", "canHandleCodeInApp": true], "MISSING_CONTINUE_URI"),
            (["requestType": "EMAIL_SIGNIN"], "MISSING_EMAIL"),
            (["requestType": "EMAIL_SIGNIN", "email": "nonsense"], "INVALID_EMAIL"),
            (["requestType": "EMAIL_SIGNIN", "email": "a@b.c"], "MISSING_CONTINUE_URI"),
        ] as [(JSONValue, String)] {
            #expect(try await server.call("sendOobCode", body).errorMessage == message)
        }
    }

    @Test("arrives by SMTP, in the client's language, with a link that works; an address change warns the old address")
    func delivery() async throws {
        let smtp = try await SMTPServer.start()
        let environment = [
            "POSTERN_EMAIL_TRANSPORT": "smtp", "POSTERN_EMAIL_SMTP_URL": "smtp://127.0.0.1:\(smtp.port)",
            "POSTERN_EMAIL_FROM": "Postern <noreply@example.com>", "POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com",
        ]
        let server = try await start(environment)
        let session = try await server.signUp("a@b.c")
        let sent = try await server.client.post(
            "/v1/accounts:sendOobCode?key=\(TestServer.apiKey)",
            ["requestType": "PASSWORD_RESET", "email": "a@b.c", "continueUrl": "https://app.example.com/x?y=1"],
            headers: [("X-Firebase-Locale", "fr-CA"), ("X-Forwarded-Host", "evil.example")]
        )
        #expect(sent.status == 200)
        #expect(sent["oobCode"] == nil)
        #expect(sent["oobLink"] == nil)
        let text = try #require(try await smtp.message(1)["parts"]?["text/plain"]?.string)
        let link = try #require(text.firstMatch(of: /https:\/\/auth\.example\.com\/__\/auth\/action\?\S+/).map { String($0.0) })
        let items = try #require(URLComponents(string: link)?.queryItems)
        let query = Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
        #expect(query["mode"] == "resetPassword")
        #expect(query["lang"] == "fr")
        #expect(query["apiKey"] == TestServer.apiKey)
        #expect(query["continueUrl"] == "https://app.example.com/x?y=1")
        let code = try #require(query["oobCode"])
        let reset = try await server.call("resetPassword", ["oobCode": .string(code), "newPassword": "secret-2"])
        #expect(reset.status == 200)
        #expect(server.log.lines.allSatisfy { !$0.contains(code) })
        #expect(session.localID.isEmpty == false)

        server.clock.advance(by: .seconds(1))
        let again = try server.session(try await server.signIn("a@b.c", password: "secret-2"))
        let request: JSONValue = ["idToken": .string(again.idToken), "newEmail": "thief@b.c"]
        let moving = try await server.code("VERIFY_AND_CHANGE_EMAIL", request)
        #expect(try await server.call("update", ["oobCode": .string(moving)])["newEmail"] == "thief@b.c")
        let warning = try await smtp.message(2)
        let body = try #require(warning["parts"]?["text/plain"]?.string)
        let recover = try #require(body.firstMatch(of: /oobCode=([A-Za-z0-9_-]+)/).map { String($0.1) })
        let recovered = try await server.call("update", ["oobCode": .string(recover)])
        #expect(recovered["email"] == "a@b.c")
        #expect(recovered["emailVerified"] == true)
        #expect(recovered["newEmail"] == nil)
    }
}
