import Foundation
import Project
import TestKit
import Testing

@Suite("The page behind an e-mail link", .teardown, .timeLimit(.minutes(15)))
struct ActionPageTests {
    func start(mode: ServerMode = .production, _ more: String = "") async throws -> TestServer {
        try await TestServer.start(mode: mode, project: TestServer.emailProject(more))
    }

    func parameters(_ mode: String, _ code: String, _ more: [(String, String)] = []) -> [(String, String)] {
        [("mode", mode), ("oobCode", code), ("apiKey", TestServer.apiKey)] + more
    }

    @Test("resets a password by a form alone, and the code is in no address after it")
    func passwordReset() async throws {
        let server = try await start()
        _ = try await server.signUp("a@b.c")
        let link = try await server.link(
            "PASSWORD_RESET",
            ["email": "a@b.c", "continueUrl": "https://app.example.com/home?x=1&y=2"]
        )
        #expect(link.contains("/__/auth/action?apiKey=\(TestServer.apiKey)&mode=resetPassword&oobCode="))
        let page = try await server.visit(link)
        #expect(page.status == 200)
        #expect(page.html.contains("<bdi>a@b.c</bdi>"))
        #expect(page.html.contains("at least 6 characters"))
        #expect(page.html.contains("autocomplete=\"new-password\""))
        let done = try await server.submit(page, [("newPassword", "secret-2 ünï")])
        #expect(done.status == 200)
        #expect(done.next == "https://app.example.com/home?x=1&y=2")
        let code = try #require(page.fields.first { $0.0 == "oobCode" }?.1)
        #expect(!done.html.contains(code))
        #expect(try await server.signIn("a@b.c", password: "secret-2 ünï").status == 200)
        let again = try await server.submit(page, [("newPassword", "secret-3")])
        #expect(again.status == 400)
        #expect(again.title == "This link no longer works")
        #expect(try await server.visit(link).status == 400)
        #expect(server.log.lines.allSatisfy { !$0.contains(code) && !$0.contains("secret-2") })
    }

    @Test("names what a password lacks, and the code survives")
    func weakPassword() async throws {
        let policy = """
            passwordPolicyConfig:
                passwordPolicyEnforcementState: ENFORCE
                passwordPolicyVersions:
                  - customStrengthOptions: {minPasswordLength: 8, maxPasswordLength: 20, containsUppercaseCharacter: true,
                      containsLowercaseCharacter: true, containsNumericCharacter: true, containsNonAlphanumericCharacter: true}
            """
        let server = try await start(policy)
        _ = try server.session(try await server.call("signUp", ["email": "a@b.c", "password": "Secret1x!"]))
        let page = try await server.visit(try await server.link("PASSWORD_RESET", ["email": "a@b.c"]))
        for requirement in ["at least 8", "at most 20", "(a–z)", "(A–Z)", "(0–9)", "such as !"] {
            #expect(page.html.contains(requirement))
        }
        let weak = try await server.submit(page, [("newPassword", "short"), ("lang", "en")])
        #expect(weak.status == 400)
        let alert = try #require(weak.html.firstMatch(of: /role="alert">(?s)(.*?)<\/div>/)?.1)
        for (text, isUnmet) in [("at least 8", true), ("(A–Z)", true), ("(0–9)", true), ("(a–z)", false), ("20", false)] {
            #expect(alert.contains(text) == isUnmet)
        }
        #expect(weak.html.contains("aria-invalid=\"true\""))
        #expect(!weak.html.contains("value=\"short\""))
        #expect(try await server.submit(page).status == 400)
        #expect(try await server.submit(weak, [("newPassword", "Secret2x!")]).status == 200)
    }

    @Test("confirms and changes addresses by a button")
    func addresses() async throws {
        let server = try await start()
        let session = try await server.signUp("a@b.c")
        let verify = try await server.visit(try await server.link("VERIFY_EMAIL", session.token))
        #expect(try await server.account(session)["emailVerified"] == false)
        #expect(verify.button == "Confirm address")
        #expect(try await server.submit(verify).html.contains("<bdi>a@b.c</bdi> is confirmed."))
        #expect(try await server.account(session)["emailVerified"] == true)

        let change = try await server.visit(
            try await server.link("VERIFY_AND_CHANGE_EMAIL", session.token.merging(["newEmail": "new@b.c"]))
        )
        #expect(change.html.contains("<bdi>new@b.c</bdi>"))
        let taken = try await server.visit(
            try await server.link("VERIFY_AND_CHANGE_EMAIL", session.token.merging(["newEmail": "taken@b.c"]))
        )
        #expect(try await server.submit(change).title == "This link no longer works")
        _ = try await server.verifiedUser("taken@b.c")
        let refused = try await server.submit(taken)
        #expect(refused.status == 400)
        #expect(refused.title == "This address is taken")
        let last = try await server.visit(
            try await server.link("VERIFY_AND_CHANGE_EMAIL", session.token.merging(["newEmail": "new@b.c"]))
        )
        #expect(try await server.submit(last).status == 200)
        #expect(try await server.signIn("new@b.c").status == 200)
    }

    @Test("gives an address back, and then offers a new password")
    func recovery() async throws {
        let server = try await start(mode: .development)
        let session = try await server.signUp("old@b.c")
        #expect(try await server.call("update", ["idToken": .string(session.idToken), "email": "thief@b.c"]).status == 200)
        let code = try #require(try await server.waitingCodes().last?["oobCode"]?.string)
        let page = try await server.visit(
            action: parameters("recoverEmail", code, [("continueUrl", "https://app.example.com/"), ("lang", "de")])
        )
        #expect(page.html.contains("<bdi>old@b.c</bdi>"))
        let restored = try await server.submit(page)
        #expect(restored.status == 200)
        #expect(restored.next == "https://app.example.com/")
        #expect(restored.button == "Link für ein neues Passwort senden")
        #expect(!restored.html.contains(code))
        let sent = try await server.submit(restored)
        #expect(sent.status == 200)
        let reset = try #require(try await server.waitingCodes().last)
        #expect(reset["requestType"] == "PASSWORD_RESET")
        #expect(reset["email"] == "old@b.c")
        #expect(reset["oobLink"]?.string?.contains("lang=de") == true)
        // The answer does not tell who has an account.
        let stranger = restored.fields.map { $0.0 == "email" ? ("email", "nobody@b.c") : $0 }
        let type = [("Content-Type", "application/x-www-form-urlencoded")]
        let body = Data(TestClient.encode(stranger).utf8)
        let unknown = try await server.client.send("POST", "/__/auth/action", headers: type, body: body)
        #expect(unknown.status == 200)
        #expect(PageVisit(answer: unknown).title == sent.title)
    }

    @Test("hands a sign-in over to the app with all parameters, and never touches the code")
    func signIn() async throws {
        let server = try await start()
        let link = try await server.link(
            "EMAIL_SIGNIN",
            ["email": "a@b.c", "continueUrl": "https://app.example.com/done?keep=1&mode=theirs#part"]
        )
        for _ in 0..<2 {
            let page = try await server.visit(link + "&ibi=com.example.app&isi=1234&apn=com.example.android")
            #expect(page.status == 303)
            let location = try #require(page.answer.header("Location"))
            #expect(page.next == location)
            let parts = try #require(URLComponents(string: location))
            #expect(parts.host == "app.example.com")
            #expect(parts.fragment == "part")
            let query = Dictionary((parts.queryItems ?? []).map { ($0.name, $0.value) }) { "\($0 ?? "") and \($1 ?? "")" }
            #expect(query["mode"] == "signIn")
            #expect(query["keep"] == "1")
            #expect(query["apiKey"] == TestServer.apiKey)
            #expect(query["lang"] == "en")
            #expect(query["ibi"] == "com.example.app")
            #expect(query["isi"] == "1234")
            #expect(query["apn"] == "com.example.android")
            #expect(query["continueUrl"] == .some(nil) || query["continueUrl"] == nil)
        }
        let code = try #require(URLComponents(string: link)?.queryItems?.first { $0.name == "oobCode" }?.value)
        let answer = try await server.call("signInWithEmailLink", ["email": "a@b.c", "oobCode": .string(code)])
        #expect(answer.status == 200)
        #expect(try await server.visit(action: parameters("signIn", code)).status == 400)
    }

    @Test("says what is wrong with a link, with the right status")
    func problems() async throws {
        let server = try await start()
        let session = try await server.signUp("a@b.c")
        let code = try await server.code("PASSWORD_RESET", ["email": "a@b.c"])
        for (query, title) in [
            ([], "This link is not complete"),
            ([("mode", "resetPassword"), ("oobCode", code)], "This link is not complete"),
            ([("mode", "resetPassword"), ("oobCode", code), ("apiKey", "wrong")], "This link is not complete"),
            (parameters("resetPassword", ""), "This link is not complete"),
            (parameters("nonsense", code), "This link is not complete"),
            (parameters("sendPasswordReset", code), "This link is not complete"),
            (parameters("resetPassword", code, [("tenantId", "none-such")]), "This link is not complete"),
            (parameters("resetPassword", "nonsense"), "This link no longer works"),
            (parameters("verifyEmail", code), "This link no longer works"),
            (parameters("revertSecondFactorAddition", code), "This link no longer works"),
            (parameters("resetPassword", code, [("tenantId", "closed")]), "This is not available"),
        ] {
            let page = try await server.visit(action: query)
            #expect(page.status == 400)
            #expect(page.title == title, "\(query)")
        }
        // A code of one kind has no other effect, also when the form names another kind.
        let page = try await server.visit(action: parameters("resetPassword", code))
        let forged = page.fields.filter { $0.0 != "mode" } + [("mode", "verifyEmail")]
        let answer = try await server.client.post("/__/auth/action", form: forged)
        #expect(answer.status == 400)
        #expect(try await server.account(session)["emailVerified"] == false)

        let disabling: JSONValue = ["localId": .string(session.localID), "emailVerified": true, "disableUser": true]
        _ = try await server.callAsAdmin("update", disabling)
        #expect(try await server.visit(action: parameters("resetPassword", code)).title == "This account is disabled")
        #expect(try await server.submit(page, [("newPassword", "secret-2")]).title == "This account is disabled")
        _ = try await server.callAsAdmin("update", ["localId": .string(session.localID), "disableUser": false])
        server.clock.advance(by: .seconds(3601))
        #expect(try await server.visit(action: parameters("resetPassword", code)).title == "This link no longer works")
        let big = Data(("newPassword=" + String(repeating: "x", count: 1 << 17)).utf8)
        let type = [("Content-Type", "application/x-www-form-urlencoded")]
        let tooBig = try await server.client.send("POST", "/__/auth/action", headers: type, body: big)
        #expect(tooBig.status >= 400 && tooBig.status < 500)
    }

    @Test(
        "speaks the language of the link, or of the browser",
        arguments: [
            ("en", "Choose a new password"), ("fr", "Choisir un nouveau mot de passe"), ("es", "Elige una contraseña nueva"),
            ("de", "Neues Passwort wählen"), ("ja", "新しいパスワードの設定"), ("zh", "设置新密码"), ("ar", "اختيار كلمة مرور جديدة"),
            ("bn", "নতুন পাসওয়ার্ড বেছে নিন"),
        ]
    )
    func languages(language: String, title: String) async throws {
        let server = try await start()
        _ = try await server.signUp("a@b.c")
        let code = try await server.code("PASSWORD_RESET", ["email": "a@b.c"])
        let byLink = try await server.visit(
            action: parameters("resetPassword", code, [("lang", language)]),
            headers: [("Accept-Language", language == "fr" ? "de" : "fr")]
        )
        let browser = [("Accept-Language", "xx, \(language)-XX;q=0.9, en;q=0.1")]
        let byBrowser = try await server.visit(action: parameters("resetPassword", code, [("lang", "tlh")]), headers: browser)
        for page in [byLink, byBrowser] {
            #expect(page.title == title)
            #expect(page.html.contains("<html lang=\"\(language)\" dir=\"\(language == "ar" ? "rtl" : "ltr")\">"))
            #expect(page.answer.header("Content-Language") == language)
        }
        let done = try await server.submit(byBrowser, [("newPassword", "secret-2")])
        #expect(done.html.contains("<html lang=\"\(language)\""))
    }

    @Test("of a tenant's link works in that tenant only")
    func tenants() async throws {
        let server = try await start(mode: .development)
        _ = try server.session(try await server.call("signUp", ["email": "a@b.c", "password": "secret-1", "tenantId": "acme-1"]))
        let request: JSONValue = ["requestType": "PASSWORD_RESET", "email": "a@b.c", "tenantId": "acme-1"]
        #expect(try await server.call("sendOobCode", request).status == 200)
        #expect(try await server.waitingCodes().isEmpty)
        let waiting = try #require(try await server.waitingCodes("projects/demo-test/tenants/acme-1").first)
        let code = try #require(waiting["oobCode"]?.string)
        #expect(waiting["oobLink"]?.string?.hasSuffix("&tenantId=acme-1") == true)
        #expect(try await server.visit(action: parameters("resetPassword", code)).status == 400)
        let page = try await server.visit(action: parameters("resetPassword", code, [("tenantId", "acme-1")]))
        #expect(try await server.submit(page, [("newPassword", "secret-2")]).status == 200)
    }

    @Test("is reached through app links, which lead nowhere else")
    func appLinks() async throws {
        let publicURL = ["POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com"]
        let server = try await TestServer.start(environment: publicURL, project: TestServer.emailProject())
        _ = try await server.signUp("a@b.c")
        let request: JSONValue = [
            "email": "a@b.c", "continueUrl": "https://app.example.com/", "canHandleCodeInApp": true,
            "iOSBundleId": "com.example.app", "linkDomain": "app.example.com",
        ]
        let link = try await server.link("PASSWORD_RESET", request)
        #expect(link.hasPrefix("https://app.example.com/__/auth/links?link=https%3A%2F%2Fauth.example.com%2F__%2Fauth%2Faction"))
        let path = link.replacing("https://app.example.com", with: "")
        let forwarded = try await server.visit(path)
        #expect(forwarded.status == 303)
        #expect(forwarded.answer.header("Referrer-Policy") == "no-referrer")
        let action = try #require(forwarded.answer.header("Location"))
        #expect(action.hasPrefix("https://auth.example.com/__/auth/action?apiKey=\(TestServer.apiKey)&mode=resetPassword&"))
        #expect(try await server.visit(action.replacing("https://auth.example.com", with: "")).status == 200)
        for hostile in [
            "https://evil.example/__/auth/action?mode=signIn", "https://auth.example.com.evil.example/__/auth/action?x",
            "https://auth.example.com@evil.example/__/auth/action?x", "https://auth.example.com/other",
            "https://auth.example.com/__/auth/action/../../x?", "//auth.example.com/__/auth/action?x", "javascript:alert(1)",
            "https://auth.example.com/__/auth/action?\r\nX-A: b", "https://auth.example.com\\@evil.example/__/auth/action?",
            "",
        ] {
            let refused = try await server.visit("/__/auth/links?" + TestClient.encode([("link", hostile)]))
            #expect(refused.status == 400, "\(hostile)")
            #expect(refused.answer.header("Location") == nil)
        }
        #expect(try await server.visit("/__/auth/links").status == 400)
    }
}
