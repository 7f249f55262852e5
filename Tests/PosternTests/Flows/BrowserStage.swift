import Foundation
import Project
import Settings
import TestKit
import Testing

@testable import Server

/// A page of an app, a server that signs its users in, and a browser that shows both.
struct BrowserStage {
    let app: AppPages
    let server: TestServer
    let browser: Chromium

    /// Starts all three. Errors of scripts and violations of pages' policies are failures.
    static func start(mode: ServerMode = .production) async throws -> BrowserStage {
        let app = try await AppPages.start()
        let server = try await FlowServer.start(mode: mode, gapiScript: app.gapiScript)
        let provider = server.provider
        provider.authorization.setUser(["sub": "user-1", "email": "ada@example.com", "email_verified": true])
        provider.apps.register("twitter-key", secret: "twitter-secret", at: "twitter")
        for number in 1...3 {
            let profile: JSONValue = ["id_str": "42", "name": "Ada", "screen_name": "ada"]
            let token = "access-request-\(number)"
            provider.apps.grant(
                .init(app: "twitter-key", token: token, tokenSecret: "access-secret", profile: profile),
                at: "twitter"
            )
        }
        let browser = try await Chromium.start()
        try Teardown.add { #expect(browser.problems.isEmpty) }
        return BrowserStage(app: app, server: server, browser: browser)
    }

    /// The address of a page of the server.
    func address(_ path: String, _ query: [(String, String)] = [], host: String = "localhost") -> String {
        "http://\(host):\(server.port)\(path)" + (query.isEmpty ? "" : "?" + TestClient.encode(query))
    }

    /// The app's page, with the server's frame in it.
    func appPage(host: String = "localhost") -> String {
        let folder = server.core.settings.mode == .production ? "/__/auth" : "/emulator/auth"
        let query = [("apiKey", TestServer.apiKey), ("appName", "[DEFAULT]"), ("v", "12")]
        return app.page(frame: address("\(folder)/iframe", query, host: host))
    }

    /// The address that the SDK sends users to.
    func handler(_ authType: String, _ providerID: String, host: String = "localhost") -> String {
        let folder = server.core.settings.mode == .production ? "/__/auth" : "/emulator/auth"
        var query = [
            ("apiKey", TestServer.apiKey), ("appName", "[DEFAULT]"), ("authType", authType), ("providerId", providerID),
            ("redirectUrl", appPage(host: host)),
        ]
        if authType.hasSuffix("Popup") { query.append(("eventId", "0123456789")) }
        return address("\(folder)/handler", query, host: host)
    }

    /// Opens the app's page and waits until its frame has answered.
    func openApp(host: String = "localhost") async throws -> BrowserPage {
        let page = try await browser.open(appPage(host: host))
        #expect(try await event(page)["error"]?["code"] == "auth/no-auth-event")
        return page
    }

    /// The next auth event that the app's page gets.
    func event(_ page: BrowserPage) async throws -> JSONValue {
        try await page.run("nextEvent()", once: "document.title === 'App' && typeof nextEvent === 'function'")
    }

    /// Opens the handler in a popup, as the SDK does.
    func popup(_ page: BrowserPage, _ address: String) async throws -> BrowserPage {
        try await page.run("void window.open('\(address)')")
        return try await browser.popup(of: page)
    }
}
