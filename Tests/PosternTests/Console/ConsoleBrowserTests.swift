import Accounts
import Console
import Foundation
import Project
import Storage
import Tenancy
import TestKit
import Testing
import Tokens

@testable import Server

extension BrowserTests {
    @Suite("The console", .timeLimit(.minutes(15)))
    struct Console {
        func start() async throws -> (TestServer, Chromium) {
            let server = try await TestServer.start(environment: ConsoleClient.environment)
            let browser = try await Chromium.start()
            try Teardown.add { #expect(browser.problems == []) }
            return (server, browser)
        }

        func address(_ server: TestServer, _ path: String) -> String { "http://localhost:\(server.port)\(path)" }

        // Accepts the first invitation with a passkey.
        func enroll(_ server: TestServer, _ browser: Chromium) async throws -> BrowserPage {
            let code = try #require(try await server.core.useCases.console.invitations.firstStart())
            let page = try await browser.open("about:blank")
            try await page.addAuthenticator()
            try await page.navigate(address(server, "/console/invitation?code=\(code)"))
            try await page.click("input[name=email]")
            try await page.type("ada@example.com")
            try await page.press(.enter)
            try await page.run("0", once: "document.querySelector('[data-passkey=create]') && document.readyState === 'complete'")
            try await page.click("[data-passkey=create]")
            try await page.run("0", once: "location.pathname === '/console'")
            return page
        }

        @Test("a passkey makes the first operator, signs in again and confirms")
        func passkeys() async throws {
            let (server, browser) = try await start()
            let page = try await enroll(server, browser)
            try await page.navigate(address(server, "/console/keys"))
            let kid = try server.core.keyRing.current().kid
            server.clock.advance(by: .seconds(301))
            // The dialog of the script, and then the proof.
            try await page.click(".toolbar button.danger")
            try await page.click("dialog[open] button.danger")
            try await page.run("0", once: "location.pathname === '/console/confirm' && document.readyState === 'complete'")
            try await page.click("[data-passkey=get]")
            try await page.run("0", once: "location.pathname === '/console/keys' && document.readyState === 'complete'")
            try await page.click(".toolbar button.danger")
            try await page.click("dialog[open] button.danger")
            try await page.run("0", once: "location.search === '?done=saved'")
            #expect(try server.core.keyRing.current().kid != kid)

            try await page.run("document.querySelector('form[action=\"/console/sign-out\"]').requestSubmit()")
            try await page.run("0", once: "location.pathname === '/console/sign-in' && document.readyState === 'complete'")
            try await page.click("[data-passkey=get]")
            try await page.run("0", once: "location.pathname === '/console'")
        }

        @Test("without scripts a form is sent and the console asks on a page of its own")
        func withoutScripts() async throws {
            let (server, browser) = try await start()
            let page = try await enroll(server, browser)
            try await page.navigate(address(server, "/console/users/new"))
            try await page.allowScripts(false)
            try await page.navigate(address(server, "/console/users/new"))
            try await page.click("input[name=email]")
            try await page.type("grace@example.com")
            try await page.click("main form button")
            // Until its style sheet is there, a button is elsewhere.
            try await page.run(
                "0",
                once: "location.pathname.length > '/console/users/new'.length && \(Self.isLoaded)"
            )
            try await page.click(".toolbar button.danger:last-of-type")
            try await page.run("0", once: "document.querySelector('input[name=confirmed][value=yes]')")
        }

        @Test("axe finds nothing wrong with any screen, in light and dark, on wide and small screens")
        func accessibility() async throws {
            let axe = try String(contentsOfFile: PythonTools.file("axe_playwright_python/axe.min.js"), encoding: .utf8)
            let (server, browser) = try await start()
            let user: JSONValue = [
                "localId": "ada", "email": "ada@example.com", "displayName": "Ada", "phoneNumber": "+15555550100",
            ]
            let headers = [("Authorization", "Bearer \(TestServer.adminToken)")]
            #expect(try await server.client.post("/v1/projects/demo-test/accounts", user, headers: headers).status == 200)
            let bob: JSONValue = ["localId": "bob", "email": "bob@example.com", "displayName": "Bob"]
            #expect(try await server.client.post("/v1/projects/demo-test/accounts", bob, headers: headers).status == 200)
            let page = try await enroll(server, browser)
            let operatorID = try #require(try await server.core.useCases.console.directory.all().first?.operatorID)
            #expect(
                try await server.admin("PATCH", "/config?updateMask=authorizedDomains", ["authorizedDomains": ["a.example"]])
                    .status == 200
            )
            let context = CallContext(scope: Scope(projectID: "demo-test"), isPrivileged: true)
            let history = server.core.useCases.operators.configuration.history
            let changeID = try #require(try await history.changes(context).first?.eventID)
            let site = try #require(Listener(core: server.core).console(isPrivate: false))
            for template in site.templates where !Self.withoutPage.contains(template) {
                let id =
                    switch template {
                    case "/console/operators/{id}": operatorID
                    case "/console/configuration/{id}": changeID
                    case "/console/providers/{id}": "google.com"
                    case "/console/templates/{id}": "passwordReset"
                    default: "ada"
                    }
                let path = template.replacing("{id}", with: id).replacing("{other}", with: "bob")
                try await page.navigate(address(server, path))
                for (width, isDark) in [(1280, false), (1280, true), (360, false)] {
                    try await page.resize(width: width, isDark: isDark)
                    try await page.run("0", once: Self.isLoaded)
                    // A script of the protocol is not bound by the page's policy.
                    try await page.run(axe + "; 0")
                    let found = try await page.run(Self.audit)
                    #expect(found.array?.isEmpty == true, "\(template) \(width) \(isDark): \(found.text)")
                }
            }
        }

        private static let withoutPage = [
            "/console/sign-out", "/console/invitation", "/console/audit/export", "/console/events/stream",
            "/console/configuration/project.yaml", "/console/templates/{id}/html",
        ]

        private static let isLoaded = "document.readyState === 'complete'"

        private static let audit = """
            axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then(
              result => result.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 200)).join(' | '))
            )
            """
    }
}
