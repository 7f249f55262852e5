import Foundation
import Project
import TestKit
import Testing

@Suite("The web handler, for apps", .teardown, .timeLimit(.minutes(15)))
struct NativeHandlerTests {
    @Test(
        "iOS gets its own URL, which only the raw session id completes",
        arguments: ["oidc.code", "twitter.com", "oidc.implicit"]
    )
    func ios(providerID: String) async throws {
        let server = try await FlowServer.start()
        var browser = HandlerBrowser(server: server)
        let page = try await browser.carry(try await browser.consent(HandlerBrowser.ios(providerID) + [("tid", "")]))
        let returned = try #require(page.iosCallback)
        #expect(returned.scheme == "com.googleusercontent.apps.123-abc")
        #expect(returned.callback.hasPrefix("http://127.0.0.1:\(server.port)/__/auth/callback?"))
        #expect(returned.parameters["authType"] == "signInWithRedirect" && returned.parameters["eventId"] == "QWERTYUIOP")
        #expect(page.data == ["kind": "app"])
        let link = try #require(returned.parameters["link"])
        func complete(_ sessionID: String) async throws -> TestClient.Answer {
            let body: JSONValue = [
                "requestUri": .string(link), "sessionId": .string(sessionID),
                "postBody": .string("providerId=\(providerID)"), "autoCreate": true,
            ]
            return try await server.call("signInWithIdp", body)
        }
        // The hash was in a URL, so it is not a secret.
        let hash = hexadecimal(sha256(HandlerBrowser.rawSession.utf8))
        let refused = try await complete(hash).errorMessage
        #expect(refused?.contains("session id does not belong") == true)
        let completed = try await complete(HandlerBrowser.rawSession)
        if providerID == "twitter.com" {
            #expect(completed.errorMessage?.contains("flow") != true)
            #expect(completed.errorMessage?.hasPrefix("INVALID_CREDENTIAL_OR_PROVIDER_ID") != true)
        } else {
            _ = try server.session(completed)
        }
    }

    @Test("the URL scheme follows what the app names")
    func schemes() async throws {
        let server = try await FlowServer.start()
        var browser = HandlerBrowser(server: server)
        server.provider.authorization.setError("access_denied")
        let app = HandlerBrowser.ios(app: [("appId", "1:123:ios:abc")])
        let page = try await browser.carry(try await browser.consent(app))
        let returned = try #require(page.iosCallback)
        #expect(returned.scheme == "app-1-123-ios-abc")
        let error = try JSONValue.parse(try #require(returned.parameters["firebaseError"]).utf8)
        #expect(error["code"] == "auth/user-cancelled" && error["message"]?.string != nil)
        let bundle = try await browser.carry(try await browser.consent(HandlerBrowser.ios(app: [])))
        #expect(bundle.appURL?.hasPrefix("com.example.app://google/link?deep_link_id=http%3A%2F%2F") == true)
        let off = try await browser.open(HandlerBrowser.ios("oidc.off"))
        let refused = try JSONValue.parse(try #require(off.iosCallback?.parameters["firebaseError"]).utf8)
        #expect(refused["code"] == "auth/operation-not-allowed")
    }

    @Test(
        "names that are none open nothing",
        arguments: ["javascript", "x;S.a=b", "data", "a b.c", "http://evil.example", "c.a\"b"]
    )
    func hostileNames(name: String) async throws {
        let server = try await FlowServer.start()
        var browser = HandlerBrowser(server: server)
        let base = HandlerBrowser.ios(app: []).filter { $0.0 != "ibi" }
        for parameter in ["clientId", "ibi", "apn"] {
            let page = try await browser.open(base + [(parameter, name)])
            #expect(page.status == 400 && page.appURL == nil, "\(parameter)")
        }
        let page = try await browser.open(base + [("ibi", "com.example.app"), ("sessionId", "short")])
        #expect(page.status == 303)
        let unhashed = try await browser.open(base.filter { $0.0 != "sessionId" } + [("ibi", "com.example.app")])
        #expect(unhashed.header("Location") == nil && unhashed.appURL?.contains("firebaseError") == true)
    }

    @Test("Cordova decodes twice, and gets the callback itself")
    func cordova() async throws {
        let server = try await FlowServer.start()
        var browser = HandlerBrowser(server: server)
        let query = [
            ("apiKey", TestServer.apiKey), ("appName", "[DEFAULT]"), ("authType", "signInViaRedirect"),
            ("providerId", "oidc.code"), ("eventId", "1"), ("ibi", "com.Example.App"), ("appDisplayName", "App"),
            ("sessionId", hexadecimal(sha256(HandlerBrowser.rawSession.utf8))),
        ]
        func callback(_ page: HandlerAnswer) throws -> String {
            let url = try #require(page.appURL)
            #expect(url.hasPrefix("com.example.app://google/link?deep_link_id="))
            let once = try #require(HandlerAnswer.parameters(url)["deep_link_id"])
            return try #require(once.removingPercentEncoding)
        }
        let page = try await browser.carry(try await browser.consent(query))
        let inner = try callback(page)
        #expect(inner.hasPrefix("http://127.0.0.1:\(server.port)/__/auth/callback?state="))
        let event: JSONValue = ["urlResponse": .string(inner)]
        _ = try server.session(try await server.signIn(event: event, sessionID: HandlerBrowser.rawSession))
        server.provider.authorization.setError("access_denied")
        let denied = try callback(try await browser.carry(try await browser.consent(query)))
        let twice = try #require(HandlerAnswer.parameters(denied)["firebaseError"]?.removingPercentEncoding)
        #expect(try JSONValue.parse(twice.utf8)["code"] == "auth/user-cancelled")
    }

    @Test("Android gets an intent")
    func android() async throws {
        let server = try await FlowServer.start()
        var browser = HandlerBrowser(server: server)
        let query = HandlerBrowser.ios(app: [("apn", "com.example.android")]).filter { $0.0 != "ibi" }
        let page = try await browser.carry(try await browser.consent(query))
        let intent = try #require(page.appURL)
        let start = "intent://firebase.auth/#Intent;scheme=genericidp;package=com.example.android;"
        #expect(intent.hasPrefix(start + "S.authType=signInWithRedirect;S.eventId=QWERTYUIOP;S.link=http%3A%2F%2F"))
        #expect(intent.contains(";B.encryptionEnabled=false;S.browser_fallback_url=") && intent.hasSuffix(";end;"))
        let link = try #require(intent.firstMatch(of: /S\.link=([^;]*);/)?.1.removingPercentEncoding)
        let event: JSONValue = ["urlResponse": .string(link)]
        _ = try server.session(try await server.signIn(event: event, sessionID: HandlerBrowser.rawSession))
    }

    @Test("a button stands in for reCAPTCHA, and its token works once")
    func verifyApp() async throws {
        let server = try await TestServer.start(project: TestServer.phoneProject())
        var browser = HandlerBrowser(server: server)
        let query = [
            ("apiKey", TestServer.apiKey), ("authType", "verifyApp"), ("ibi", "com.example.app"), ("eventId", "ABCDEFGHIJ"),
            ("appId", "1:2:ios:3"), ("hl", "fr"),
        ]
        let asked = try await browser.open(query)
        #expect(asked.status == 200 && asked.page.button == "Continuer" && asked.appURL == nil)
        let form = TestClient.encode(asked.page.fields)
        let foreign = try await browser.send("POST", "/__/auth/handler", headers: [("Sec-Fetch-Site", "cross-site")], body: form)
        #expect(foreign.status == 403)
        let page = try await browser.send("POST", "/__/auth/handler", body: form)
        let returned = try #require(page.iosCallback)
        #expect(returned.scheme == "app-1-2-ios-3" && returned.parameters["eventId"] == "ABCDEFGHIJ")
        #expect(returned.parameters["authType"] == "verifyApp")
        let proof: JSONValue = ["recaptchaToken": .string(try #require(returned.parameters["recaptchaToken"]))]
        #expect(try await server.sendCode("+16505550199", proof).errorMessage?.contains("APP_CREDENTIAL") != true)
        #expect(try await server.sendCode("+16505550198", proof).errorMessage == "INVALID_APP_CREDENTIAL")
    }

    @Test("where reCAPTCHA is configured, it is asked, and nothing stands in for it")
    func recaptcha() async throws {
        let environment = ["POSTERN_RECAPTCHA_SITE_KEY": "site-key", "POSTERN_RECAPTCHA_SECRET": "secret"]
        let server = try await TestServer.start(environment: environment, project: TestServer.phoneProject())
        var browser = HandlerBrowser(server: server)
        let query = [
            ("apiKey", TestServer.apiKey), ("authType", "verifyApp"), ("ibi", "com.example.app"), ("eventId", "ABCDEFGHIJ"),
            ("clientId", "123.apps.googleusercontent.com"),
        ]
        let asked = try await browser.open(query)
        #expect(asked.page.html.contains("data-sitekey=\"site-key\""))
        #expect(asked.header("Content-Security-Policy")?.contains("https://www.google.com/recaptcha/") == true)
        let form = TestClient.encode(asked.page.fields)
        let empty = try await browser.send("POST", "/__/auth/handler", body: form)
        #expect(empty.iosCallback?.parameters["firebaseError"]?.contains("auth/internal-error") == true)
        let solved = try await browser.send("POST", "/__/auth/handler", body: form + "&g-recaptcha-response=solved")
        #expect(solved.iosCallback?.parameters["recaptchaToken"] == "solved")
    }
}
