import Foundation
import Project
import TestKit
import Testing

extension WebHandlerTests {
    @Test("what is wrong before anybody leaves becomes an error of the event")
    func failedStart() async throws {
        let server = try await FlowServer.start()
        var browser = HandlerBrowser(server: server)
        for (providerID, code) in [
            ("oidc.off", "operation-not-allowed"), ("oidc.unknown", "operation-not-allowed"),
            ("oidc.nosecret", "operation-not-allowed"), ("nonsense", "invalid-provider-id"),
        ] {
            let page = try await browser.open(HandlerBrowser.web("signInViaRedirect", providerID))
            #expect(page.status == 200 && page.header("Location") == nil)
            #expect(page.event["error"]?["code"] == .string("auth/" + code))
            #expect(page.data["redirectUrl"] == .string(HandlerBrowser.app))
        }
        let tenant = try await browser.open(HandlerBrowser.web("signInViaPopup", eventID: "1") + [("tid", "nobody")])
        #expect(tenant.event["error"]?["code"] == "auth/invalid-tenant-id" && tenant.event["tenantId"] == "nobody")
    }

    @Test(
        "addresses of no authorized domain, and of no web, lead nowhere",
        arguments: [
            "https://evil.example/", "https://app.example.com.evil.example/", "https://app.example.com@evil.example/",
            "javascript:alert(1)", "//app.example.com/", "https:\\\\evil.example", "", "data:text/html,x", "myapp://x",
            "https://app.example.com\\.evil.example/",
        ]
    )
    func foreignAddress(address: String) async throws {
        let server = try await FlowServer.start()
        var browser = HandlerBrowser(server: server)
        for authType in ["signInViaPopup", "signInViaRedirect"] {
            let query = HandlerBrowser.web(authType).filter { $0.0 != "redirectUrl" } + [("redirectUrl", address)]
            let page = try await browser.open(query)
            #expect(page.status == 403 || page.status == 400)
            #expect(page.header("Location") == nil && page.data == .null)
        }
    }

    @Test("what is no request of an app gets a page in plain words, in its language, with a way back")
    func incomplete() async throws {
        let server = try await FlowServer.start()
        var browser = HandlerBrowser(server: server)
        let good = HandlerBrowser.web("signInViaPopup", eventID: "1")
        for missing in ["apiKey", "appName", "authType", "redirectUrl"] {
            let page = try await browser.open(good.filter { $0.0 != missing } + [("hl", "de")])
            #expect([400, 403].contains(page.status) && page.header("Location") == nil && page.data == .null)
            #expect(page.page.html.contains("lang=\"de\"") && page.page.html.contains("Zurück"))
            // For whoever has no scripts, and with them no button.
            #expect(page.page.html.contains("Sie können dieses Fenster schließen."))
        }
        let unknown = try await browser.open(good.map { $0.0 == "apiKey" ? ("apiKey", "other") : $0 })
        #expect(unknown.status == 400 && unknown.page.title == "Sign-in cannot begin")
        let type = try await browser.open(good.map { $0.0 == "authType" ? ("authType", "<script>") : $0 })
        #expect(type.status == 400 && !type.page.html.contains("<script>\""))
        // No script of another page reads it.
        let origin = [("Origin", "https://evil.example")]
        for query in [Array(good.dropFirst()), []] {
            #expect(try await browser.open(query, headers: origin).header("Access-Control-Allow-Origin") == nil)
        }
        // An answer in the fragment is the script's to find.
        let bare = try await browser.open([])
        #expect(bare.data == ["kind": "fragment"])
        let posted = try await browser.send("POST", "/__/auth/handler", body: "a=b")
        #expect(posted.status == 403 && posted.appURL == nil)
        #expect(try await server.client.send("HEAD", "/__/auth/handler?" + TestClient.encode(good)).header("Set-Cookie") == nil)
    }

    @Test("texts of apps stay texts on the page")
    func escaping() async throws {
        let server = try await FlowServer.start()
        var browser = HandlerBrowser(server: server)
        let hostile = "</script><script>alert(1)</script><!--\u{2028}"
        let query = HandlerBrowser.web("signInViaPopup", eventID: hostile).map {
            $0.0 == "appName" ? ("appName", hostile) : $0
        }
        let page = try await browser.carry(try await browser.consent(query))
        #expect(!page.page.html.contains("<script>alert"))
        #expect(page.event["eventId"] == .string(hostile))
    }
}
