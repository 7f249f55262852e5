import Foundation
import Project
import TestKit
import Testing

extension BrowserTests {
    @Suite("Pages", .teardown, .timeLimit(.minutes(15)))
    struct Pages {
        @Test("the emulator's widget makes accounts, and offers them again")
        func widget() async throws {
            let stage = try await BrowserStage.start(mode: .development)
            let page = try await stage.openApp()
            var users: [JSONValue] = []
            for isNew in [true, false] {
                let widget = try await stage.popup(page, stage.handler("signInViaPopup", "google.com"))
                try await widget.run("0", once: "document.title.includes('Auth Emulator') && typeof toggleForm === 'function'")
                if isNew {
                    try await widget.click(".js-new-account")
                    #expect(try await widget.run("document.getElementById('sign-in').disabled") == true)
                    #expect(try await widget.complaints() == [])
                    try await widget.click("#autogen-button")
                    try await widget.click("#sign-in")
                } else {
                    #expect(try await widget.complaints() == [])
                    try await widget.click("#accounts-list li.js-reuse-account button")
                }
                let event = try await stage.event(page)
                #expect(event["sessionId"] == "ValueNotUsedByAuthEmulator" && event["eventId"] == "0123456789")
                let answer = try await stage.server.signIn(event: event)
                #expect(answer.status == 200 && answer["emailVerified"] == true)
                users.append(answer["localId"] ?? .null)
                try await stage.browser.close(widget)
            }
            #expect(users[0] == users[1])
        }

        @Test("the emulator's widget signs in by redirect, with a keyboard alone")
        func keyboard() async throws {
            let stage = try await BrowserStage.start(mode: .development)
            let page = try await stage.browser.open(stage.handler("signInViaRedirect", "apple.com"))
            try await page.run("0", once: "typeof toggleForm === 'function'")
            try await page.press(.tab)
            #expect(try await page.run("document.activeElement.className") == "js-new-account")
            try await page.press(.enter)
            try await page.run("0", once: "document.activeElement.id === 'email-input'")
            try await page.type("grace@example.com")
            try await page.press(.enter)
            let event = try await stage.event(page)
            #expect(try await stage.server.signIn(event: event)["email"] == "grace@example.com")
        }

        @Test("pages of the handler are fit for small screens, keyboards and screen readers")
        func handlerPages() async throws {
            let stage = try await BrowserStage.start()
            let verify = HandlerBrowser.ios().filter { $0.0 != "authType" } + [("authType", "verifyApp")]
            let pages: [(String, [(String, String)])] = [
                ("/__/auth/handler", []), ("/__/auth/handler", [("state", "none")]), ("/__/auth/handler", verify),
                ("/__/auth/handler", verify + [("hl", "ar")]), ("/__/auth/callback", []), ("/__/auth/links", []),
                ("/__/auth/action", [("mode", "resetPassword"), ("oobCode", "none"), ("apiKey", TestServer.apiKey)]),
            ]
            for (path, query) in pages {
                let page = try await stage.browser.open(stage.address(path, query))
                #expect(try await page.complaints() == [], "\(path) \(query)")
            }
        }

        @Test("a link from an e-mail sets a new password")
        func resetPassword() async throws {
            let stage = try await BrowserStage.start(mode: .development)
            let credentials: JSONValue = ["email": "ada@example.com", "password": "the old password"]
            #expect(try await stage.server.call("signUp", credentials).status == 200)
            let link = try await stage.server.link("PASSWORD_RESET", ["email": "ada@example.com"])
            let query = link.split(separator: "?", maxSplits: 1).last ?? ""
            let page = try await stage.browser.open(stage.address("/__/auth/action") + "?\(query)")
            try await page.run("document.getElementById('new-password').focus()", once: "document.getElementById('new-password')")
            #expect(try await page.complaints() == [])
            try await page.type("short")
            try await page.press(.enter)
            try await page.run(
                "document.getElementById('new-password').focus()",
                once: "document.querySelector('.alert') && document.getElementById('new-password')"
            )
            #expect(try await page.complaints() == [])
            try await page.type("the new password")
            try await page.click("button[type=submit]")
            try await page.run(
                "0",
                once: "document.title && !document.querySelector('form') && document.querySelector('#status p')"
            )
            let changed: JSONValue = ["email": "ada@example.com", "password": "the new password"]
            #expect(try await stage.server.call("signInWithPassword", changed).status == 200)
        }

        @Test("the button that stands in for reCAPTCHA gives the app a token")
        func verifyApp() async throws {
            let stage = try await BrowserStage.start()
            let query = HandlerBrowser.ios().filter { $0.0 != "authType" } + [("authType", "verifyApp")]
            let page = try await stage.browser.open(stage.address("/__/auth/handler", query))
            try await page.click("button[type=submit]")
            let link = try await page.run(
                "document.getElementById('open').getAttribute('href')",
                once: "document.getElementById('open')"
            )
            let callback = try #require(HandlerAnswer.iosCallback(of: link.string ?? ""))
            #expect(callback.parameters["authType"] == "verifyApp" && callback.parameters["recaptchaToken"] != nil)
        }
    }
}
