import Foundation
import Project
import TestKit
import Testing

@testable import postern

@Suite("In a real browser", .serialized, .timeLimit(.minutes(3)))
struct BrowserTests {
    /// Runs pages of an app, a server that they may sign in at, and a browser.
    private func running(
        mode: ServerMode = .production,
        _ body: (AppPages, TestServer, Chromium) async throws -> Void
    ) async throws {
        try await AppPages.running { app in
            try await FlowServer.running(mode: mode, gapiScript: app.gapiScript) { server in
                try await Chromium.running { try await body(app, server, $0) }
            }
        }
    }

    private func authDomain(_ server: TestServer) -> String { "http://localhost:\(server.port)" }

    private func frame(_ server: TestServer, _ path: String) -> String {
        "\(authDomain(server))\(path)?"
            + TestClient.encode([("apiKey", TestServer.apiKey), ("appName", "[DEFAULT]"), ("v", "12")])
    }

    private func query(_ authType: String, _ providerID: String, _ app: AppPages, _ frame: String, eventID: String?) -> String {
        var pairs = [
            ("apiKey", TestServer.apiKey), ("appName", "[DEFAULT]"), ("authType", authType), ("providerId", providerID),
            ("redirectUrl", app.page(frame: frame)),
        ]
        if let eventID { pairs.append(("eventId", eventID)) }
        return TestClient.encode(pairs)
    }

    @Test("a popup signs in", arguments: ["oidc.code", "oidc.implicit"])
    func popup(providerID: String) async throws {
        try await running { app, server, browser in
            let frame = frame(server, "/__/auth/iframe")
            let page = try await browser.open(app.page(frame: frame))
            let first = try await page.run("nextEvent()", once: "window.frame || typeof nextEvent === 'function'")
            #expect(first["type"] == "unknown" && first["error"]?["code"] == "auth/no-auth-event")
            #expect(try await page.run("storageSupport()") == ["status": "ACK", "webStorageSupport": true])
            // A page of another origin has nothing to tell the frame.
            let forged = """
                document.querySelector('iframe').contentWindow.postMessage({eventType: 'sendAuthEvent', eventId: '1', \
                data: {storageKey: '\(TestServer.apiKey):[DEFAULT]', authEvent: {type: 'forged'}}}, '*')
                """
            _ = try await page.run(forged)
            let handler = "\(authDomain(server))/__/auth/handler?"
            let address = handler + query("signInViaPopup", providerID, app, frame, eventID: "0123456789")
            _ = try await page.run("void window.open('\(address)')")
            let login = try await browser.page { $0["title"] == "Log in" }
            _ = try await login.run(
                "setTimeout(() => document.getElementById('sign-in').click())",
                once: "document.getElementById('sign-in')"
            )
            let event = try await page.run("nextEvent()")
            #expect(event["type"] == "signInViaPopup" && event["eventId"] == "0123456789")
            _ = try server.session(try await server.signIn(event: event))
        }
    }

    @Test("a redirect signs in, once")
    func redirect() async throws {
        try await running { app, server, browser in
            let frame = frame(server, "/__/auth/iframe")
            let handler = "\(authDomain(server))/__/auth/handler?"
            let page = try await browser.open(handler + query("signInViaRedirect", "oidc.code", app, frame, eventID: nil))
            _ = try await page.run(
                "setTimeout(() => document.getElementById('sign-in').click())",
                once: "document.getElementById('sign-in')"
            )
            let event = try await page.run("nextEvent()", once: "document.title === 'App' && typeof nextEvent === 'function'")
            #expect(event["type"] == "signInViaRedirect" && event["error"] == .null)
            _ = try server.session(try await server.signIn(event: event))
            let again = try await browser.open(app.page(frame: frame))
            let none = try await again.run("nextEvent()", once: "document.title === 'App' && typeof nextEvent === 'function'")
            #expect(none["error"]?["code"] == "auth/no-auth-event")
        }
    }

    @Test("the emulator's widget makes accounts, and offers them again")
    func widget() async throws {
        try await running(mode: .development) { app, server, browser in
            let frame = frame(server, "/emulator/auth/iframe")
            let page = try await browser.open(app.page(frame: frame))
            _ = try await page.run("nextEvent()", once: "typeof nextEvent === 'function'")
            let handler = "\(authDomain(server))/emulator/auth/handler?"
            let address = handler + query("signInViaPopup", "google.com", app, frame, eventID: "0123456789")
            var users: [JSONValue] = []
            for isNew in [true, false] {
                _ = try await page.run("window.popup = window.open('\(address)'); undefined")
                let widget = try await browser.page { $0["title"]?.string?.contains("Auth Emulator IDP") == true }
                let script =
                    isNew
                    ? """
                    document.querySelector('.js-new-account').click();
                    document.getElementById('email-input').value = 'ada@example.com';
                    document.getElementById('email-input').dispatchEvent(new Event('input'));
                    document.getElementById('display-name-input').value = 'Ada';
                    document.getElementById('sign-in').click(); undefined
                    """ : "document.querySelector('#accounts-list li.js-reuse-account').click(); undefined"
                _ = try await widget.run(script, once: "typeof toggleForm === 'function'")
                let event = try await page.run("nextEvent()")
                #expect(event["sessionId"] == "ValueNotUsedByAuthEmulator" && event["eventId"] == "0123456789")
                let answer = try await server.signIn(event: event)
                #expect(answer.status == 200 && answer["email"] == "ada@example.com" && answer["displayName"] == "Ada")
                users.append(answer["localId"] ?? .null)
                await browser.close(widget)
            }
            #expect(users[0] == users[1])
        }
    }
}
