import Foundation
import Project
import TestKit
import Testing

// One after the other: each starts a browser, which keeps two processors busy and makes the pages of the others late.
@Suite("In a real browser", .teardown, .serialized, .timeLimit(.minutes(15)))
struct BrowserTests {
    @Test(
        "a popup signs in, also where the app's page is of another site",
        arguments: [
            ("oidc.code", "localhost"), ("oidc.implicit", "localhost"), ("apple.com", "127.0.0.1"), ("twitter.com", "localhost"),
        ]
    )
    func popup(providerID: String, host: String) async throws {
        let stage = try await BrowserStage.start()
        let page = try await stage.openApp(host: host)
        #expect(try await page.run("storageSupport()") == ["status": "ACK", "webStorageSupport": true])
        // The frame ignores messages from a page of another origin.
        let forged = """
            document.querySelector('iframe').contentWindow.postMessage({eventType: 'sendAuthEvent', eventId: '1', \
            data: {storageKey: '\(TestServer.apiKey):[DEFAULT]', authEvent: {type: 'forged'}}}, '*')
            """
        try await page.run(forged)
        let popup = try await stage.popup(page, stage.handler("signInViaPopup", providerID, host: host))
        try await popup.click("#sign-in")
        let event = try await stage.event(page)
        #expect(event["type"] == "signInViaPopup" && event["eventId"] == "0123456789")
        let answer = try await stage.server.signIn(event: event)
        #expect(answer["providerId"] == .string(providerID))
        _ = try stage.server.session(answer)
        #expect(try await popup.complaints() == [])
    }

    // One browser and one server for these: starting both takes longer than what is done there.

    @Test("a redirect signs in, once")
    func redirect() async throws {
        let stage = try await BrowserStage.start()
        for providerID in ["oidc.code", "twitter.com"] {
            let page = try await stage.browser.open(stage.handler("signInViaRedirect", providerID))
            try await page.click("#sign-in")
            let event = try await stage.event(page)
            #expect(event["type"] == "signInViaRedirect" && event["error"] == .null, "\(providerID)")
            _ = try stage.server.session(try await stage.server.signIn(event: event))
            try await page.navigate(stage.appPage())
            #expect(try await stage.event(page)["error"]?["code"] == "auth/no-auth-event", "\(providerID)")
            try await stage.browser.close(page)
        }
    }

    @Test("whoever declines comes back to the app with the SDK's error")
    func declined() async throws {
        let stage = try await BrowserStage.start()
        for providerID in ["oidc.code", "apple.com", "twitter.com"] {
            let page = try await stage.browser.open(stage.handler("signInViaRedirect", providerID))
            try await page.click("#cancel")
            #expect(try await stage.event(page)["error"]?["code"] == "auth/user-cancelled", "\(providerID)")
            try await stage.browser.close(page)
        }
    }

    @Test("a provider that cannot be reached is an error of the event")
    func outage() async throws {
        let stage = try await BrowserStage.start()
        stage.server.provider.setFault(.status(503), at: "/code/.well-known/openid-configuration")
        let page = try await stage.openApp()
        _ = try await stage.popup(page, stage.handler("signInViaPopup", "oidc.code"))
        #expect(try await stage.event(page)["error"]?["code"] == "auth/internal-error")
    }

    @Test("an app on iOS gets its URL, and a callback that is loaded again gets a page with a way back")
    func iOS() async throws {
        let stage = try await BrowserStage.start()
        let page = try await stage.browser.open(stage.address("/__/auth/handler", HandlerBrowser.ios()))
        try await page.click("#sign-in")
        let link = try await page.run(
            "document.getElementById('open').getAttribute('href')",
            once: "document.getElementById('open')"
        )
        let url = try #require(link.string)
        let callback = try #require(HandlerAnswer.iosCallback(of: url))
        #expect(callback.scheme == "com.googleusercontent.apps.123-abc")
        #expect(callback.parameters["authType"] == "signInWithRedirect" && callback.parameters["eventId"] == "QWERTYUIOP")
        #expect(callback.parameters["firebaseError"] == nil)
        #expect(try await page.complaints() == [])
        // The page also navigated there on its own.
        try await eventually { stage.browser.requests.contains(url) }
        let event: JSONValue = ["urlResponse": .string(callback.parameters["link"] ?? "")]
        _ = try stage.server.session(try await stage.server.signIn(event: event, sessionID: HandlerBrowser.rawSession))
        let address = try #require(try await page.run("location.href").string)
        let again = try await stage.browser.open(stage.appPage())
        _ = try await stage.event(again)
        try await again.navigate(address)
        try await again.run("0", once: "document.title === 'This sign-in is over'")
        try await again.click("#back")
        try await again.run("0", once: "document.title === 'App'")
    }

    @Test("an app on iOS is told of errors")
    func iOSError() async throws {
        let stage = try await BrowserStage.start()
        let page = try await stage.browser.open(stage.address("/__/auth/handler", HandlerBrowser.ios("oidc.off")))
        let link = try await page.run(
            "document.getElementById('open').getAttribute('href')",
            once: "document.getElementById('open')"
        )
        let callback = try #require(HandlerAnswer.iosCallback(of: link.string ?? ""))
        let error = try JSONValue.parse((callback.parameters["firebaseError"] ?? "").utf8)
        #expect(error["code"] == "auth/operation-not-allowed" && error["message"]?.string?.isEmpty == false)
    }

    @Test("an answer in the fragment is posted, and leaves the address")
    func fragment() async throws {
        let stage = try await BrowserStage.start()
        let page = try await stage.browser.open(stage.handler("signInViaRedirect", "oidc.implicit"))
        // The provider answers in the fragment, as if it did not support form_post.
        let fragment = try await page.run(
            "new URLSearchParams(new FormData(document.querySelector('form'))).toString()",
            once: "document.getElementById('sign-in')"
        )
        try await page.navigate(stage.address("/__/auth/handler") + "#" + (fragment.string ?? ""))
        let event = try await stage.event(page)
        #expect(event["urlResponse"]?.string?.contains("id_token") == false)
        _ = try stage.server.session(try await stage.server.signIn(event: event))
    }
}
