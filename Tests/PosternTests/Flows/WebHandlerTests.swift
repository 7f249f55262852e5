import Foundation
import Project
import TestKit
import Testing

@Suite("The web handler, for web pages", .teardown, .timeLimit(.minutes(15)))
struct WebHandlerTests {
    @Test(
        "signs in by a popup, for every kind of provider",
        arguments: [
            "oidc.code", "oidc.implicit", "google.com", "apple.com", "twitter.com", "facebook.com", "github.com",
            "microsoft.com", "yahoo.com", "linkedin.com",
        ]
    )
    func popup(providerID: String) async throws {
        let server = try await FlowServer.start()
        var browser = HandlerBrowser(server: server)
        let answer = try await browser.consent(HandlerBrowser.web("signInViaPopup", providerID, eventID: "0123456789"))
        let page = try await browser.carry(answer)
        #expect(page.status == 200)
        #expect(page.data["kind"] == "popup")
        #expect(page.data["apiKey"] == "test-key" && page.data["appName"] == "[DEFAULT]")
        #expect(page.event["type"] == "signInViaPopup" && page.event["eventId"] == "0123456789")
        #expect(page.event["error"] == .null && page.event["postBody"] == "" && page.event["tenantId"] == .null)
        // The event contains none of the provider's tokens.
        #expect(page.event["urlResponse"]?.string?.contains("code=") == false)
        #expect(page.event["urlResponse"]?.string?.contains("id_token") == false)
        let completed = try await server.signIn(event: page.event)
        let needsAPI = ["twitter.com", "facebook.com", "github.com", "linkedin.com", "microsoft.com", "yahoo.com"]
        // The profiles of these providers have their own suites. Here the flow only has to reach them.
        if needsAPI.contains(providerID) {
            #expect(completed.errorMessage?.contains("flow") != true)
        } else {
            #expect(completed.status == 200, "\(completed.errorMessage ?? "")")
            #expect(completed["providerId"] == .string(providerID))
        }
    }

    @Test("comes back by redirect, with a page that may do nothing else")
    func redirect() async throws {
        let server = try await FlowServer.start()
        var browser = HandlerBrowser(server: server)
        let began = try await browser.open(HandlerBrowser.web("signInViaRedirect"))
        let set = try #require(began.header("Set-Cookie"))
        #expect(set.contains("HttpOnly") && set.contains("Path=/"))
        #expect(began.header("Referrer-Policy") == "no-referrer" && began.header("Cache-Control") == "no-store")
        let answer = try await FakeAuthorizationServer.visit(try #require(began.header("Location")))
        #expect(answer.redirectURI == "http://127.0.0.1:\(server.port)/__/auth/handler")
        let page = try await browser.carry(answer)
        #expect(page.data["kind"] == "redirect")
        #expect(page.data["redirectUrl"] == .string(HandlerBrowser.app))
        #expect(page.event["eventId"] == .null && page.event["type"] == "signInViaRedirect")
        let policy = try #require(page.header("Content-Security-Policy"))
        let nonce = try #require(policy.firstMatch(of: /'nonce-([^']+)'/)).1
        #expect(policy.contains("frame-ancestors 'none'") && policy.contains("default-src 'none'"))
        #expect(!policy.contains("unsafe"))
        #expect(page.page.html.contains("nonce=\"\(nonce)\""))
        #expect(page.header("Cross-Origin-Opener-Policy") == nil)
        #expect(page.header("X-Frame-Options") == "DENY")
        _ = try server.session(try await server.signIn(event: page.event))
    }

    @Test("under https, the cookie crosses sites and belongs to this host alone")
    func secureCookie() async throws {
        let server = try await FlowServer.start(environment: ["POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com"])
        var browser = HandlerBrowser(server: server)
        let began = try await browser.open(HandlerBrowser.web("signInViaPopup", eventID: "1"))
        let set = try #require(began.header("Set-Cookie"))
        #expect(set.hasPrefix("__Host-postern-browser="))
        for attribute in ["Secure", "HttpOnly", "SameSite=None", "Path=/"] { #expect(set.contains("; \(attribute)")) }
        #expect(began.header("Location")?.contains("https%3A%2F%2Fauth.example.com%2F__%2Fauth%2Fhandler") == true)
        // An authorized name may serve the handler itself. Other names are not trusted.
        let own = try await browser.open(HandlerBrowser.web("signInViaPopup"), headers: [("Host", "app.example.com")])
        #expect(own.header("Location")?.contains("https%3A%2F%2Fapp.example.com%2F__%2Fauth%2Fhandler") == true)
        let foreign = try await browser.open(HandlerBrowser.web("signInViaPopup"), headers: [("Host", "evil.example")])
        #expect(foreign.header("Location")?.contains("evil") == false)
    }

    @Test(
        "Apple's form comes without a cookie, is posted again from our own site, names the user once, and is good for one sign-in"
    )
    func appleForm() async throws {
        let server = try await FlowServer.start()
        server.provider.authorization.setAnswerParameters([("user", #"{"name":{"firstName":"Ada","lastName":"Lovelace"}}"#)])
        // In redirect mode the SDK sends no event id.
        for (authType, eventID) in [("signInViaPopup", "7"), ("signInViaRedirect", nil)] as [(String, String?)] {
            var browser = HandlerBrowser(server: server)
            let answer = try await browser.consent(HandlerBrowser.web(authType, "apple.com", eventID: eventID))
            #expect(answer.mode == "form_post")
            let page = try await browser.carry(answer)
            #expect(page.status == 200 && page.event["error"] == .null)
            let replay = try await browser.carry(answer)
            #expect(replay.status == 400 && replay.event == .null)
            let completed = try await server.signIn(event: page.event)
            #expect(completed.status == 200, "\(completed.errorMessage ?? "")")
            #expect(completed["displayName"] == "Ada Lovelace")
            #expect(try await server.signIn(event: page.event).errorMessage?.hasPrefix("INVALID_IDP_RESPONSE") == true)
        }
    }

    // Each may have an event id that the attacker chose.
    private static let beginnings: [(name: String, query: @Sendable (String) -> [(String, String)])] = [
        ("redirect", { HandlerBrowser.web("signInViaRedirect", $0) }),
        ("redirect with an event id", { HandlerBrowser.web("signInViaRedirect", $0, eventID: "1234567890") }),
        ("linking by redirect", { HandlerBrowser.web("linkViaRedirect", $0, eventID: "uid:::1234567890") }),
        ("popup", { HandlerBrowser.web("signInViaPopup", $0, eventID: "1234567890") }), ("iOS", { HandlerBrowser.ios($0) }),
        ("iOS by bundle id", { HandlerBrowser.ios($0, app: []) }),
        ("Android", { HandlerBrowser.ios($0, app: [("apn", "com.example.android")]).filter { $0.0 != "ibi" } }),
        (
            "Cordova",
            {
                HandlerBrowser.ios($0, app: [("appName", "[DEFAULT]")]).map {
                    $0.0 == "authType" ? ($0.0, "signInViaRedirect") : $0
                }
            }
        ),
    ]

    @Test(
        "an answer that another browser or one without the cookie brings is refused, whatever began and whatever event it names (WEB-09)",
        arguments: ["https://auth.example.com", "http://auth.example.com"]
    )
    func otherBrowser(publicURL: String) async throws {
        let server = try await FlowServer.start(environment: ["POSTERN_SERVER_PUBLIC_URL": publicURL])
        for (name, query) in Self.beginnings {
            for providerID in ["oidc.code", "oidc.implicit", "apple.com", "twitter.com"] {
                var attacker = HandlerBrowser(server: server)
                var victim = HandlerBrowser(server: server)
                _ = try await victim.open(HandlerBrowser.web("signInViaRedirect"))
                let answer = try await attacker.consent(query(providerID))
                func isRefused(_ page: HandlerAnswer) -> Bool {
                    page.status == 400 && page.event == .null && page.appURL == nil
                        && ["This sign-in is over", "The sign-in cannot be continued here"].contains(page.page.title)
                }
                #expect(isRefused(try await victim.carry(answer)), "\(name), \(providerID)")
                for cookie in [victim.cookie, nil] {
                    victim.cookie = cookie
                    // A form of the attacker's page, once as it is and once as if it came from our page.
                    for form in [answer.form, answer.form + "&postern_again=1"] {
                        let posted = try await victim.send(
                            "POST",
                            "/__/auth/handler",
                            headers: [("Sec-Fetch-Site", "cross-site")],
                            body: form
                        )
                        #expect(posted.event == .null && posted.appURL == nil, "\(name), \(providerID)")
                        #expect(isRefused(try await victim.again(posted)), "\(name), \(providerID)")
                    }
                }
                // The refusals used nothing up.
                #expect(try await attacker.carry(answer).status == 200, "\(name), \(providerID)")
            }
        }
    }

    @Test("unknown, used and expired states get a page, and never a new flow")
    func deadStates() async throws {
        let server = try await FlowServer.start()
        var browser = HandlerBrowser(server: server)
        let answer = try await browser.consent(HandlerBrowser.web("signInViaPopup", eventID: "1"))
        for query in [[("state", "none"), ("code", "x")], [("oauth_token", "none")], [("denied", "none")]] {
            let page = try await browser.open(query + HandlerBrowser.web("signInViaPopup"))
            #expect(page.status == 400 && page.header("Location") == nil)
        }
        server.clock.advance(by: .seconds(601))
        #expect(try await browser.carry(answer).status == 400)
    }

    @Test("a session id of another flow does not complete this one")
    func otherSession() async throws {
        let server = try await FlowServer.start()
        var browser = HandlerBrowser(server: server)
        let query = HandlerBrowser.web("signInViaPopup", eventID: "1")
        let first = try await browser.carry(try await browser.consent(query))
        let second = try await browser.carry(try await browser.consent(query))
        let crossed = try await server.signIn(event: first.event, sessionID: second.event["sessionId"]?.string)
        #expect(crossed.errorMessage?.hasPrefix("INVALID_IDP_RESPONSE") == true)
        _ = try server.session(try await server.signIn(event: first.event))
    }

    @Test("an answer of another issuer, or brought to another provider, signs nobody in")
    func mixUp() async throws {
        let server = try await FlowServer.start()
        server.provider.authorization.setAnswerParameters([("iss", server.provider.issuer("evil"))])
        var browser = HandlerBrowser(server: server)
        let page = try await browser.carry(try await browser.consent(HandlerBrowser.web("signInViaPopup", eventID: "1")))
        let refused = try await server.signIn(event: page.event)
        #expect(refused.errorMessage?.hasPrefix("INVALID_IDP_RESPONSE") == true)
        server.provider.authorization.setAnswerParameters([])
        let other = try await browser.carry(try await browser.consent(HandlerBrowser.web("signInViaPopup", eventID: "2")))
        let body: JSONValue = [
            "requestUri": other.event["urlResponse"] ?? .null, "sessionId": other.event["sessionId"] ?? .null,
            "postBody": "providerId=oidc.post",
        ]
        #expect(try await server.call("signInWithIdp", body).errorMessage?.hasPrefix("INVALID_IDP_RESPONSE") == true)
    }

    @Test(
        "a user who declines, and a provider that fails, become errors of the event",
        arguments: ["oidc.code", "apple.com", "twitter.com"]
    )
    func denied(providerID: String) async throws {
        let server = try await FlowServer.start()
        server.provider.authorization.setError("access_denied")
        var browser = HandlerBrowser(server: server)
        let query = HandlerBrowser.web("reauthViaPopup", providerID, eventID: "uid:::1")
        let page = try await browser.carry(try await browser.consent(query))
        #expect(page.event["error"]?["code"] == "auth/user-cancelled")
        #expect(page.event["eventId"] == "uid:::1" && page.event["urlResponse"] == .null)
        guard providerID == "oidc.code" else { return }
        server.provider.authorization.setError("server_error")
        let failed = try await browser.carry(try await browser.consent(query))
        #expect(failed.event["error"]?["code"] == "auth/internal-error")
        #expect(!failed.page.html.contains("secret"))
        server.provider.authorization.setError("unauthorized_client")
        let unknown = try await browser.carry(try await browser.consent(query))
        #expect(unknown.event["error"]?["code"] == "auth/invalid-oauth-client-id")
    }

    @Test("tenants sign in by their own providers")
    func tenant() async throws {
        let server = try await FlowServer.start()
        var browser = HandlerBrowser(server: server)
        let page = try await browser.carry(
            try await browser.consent(HandlerBrowser.web("signInViaPopup", eventID: "1") + [("tid", "acme")])
        )
        #expect(page.event["tenantId"] == "acme")
        _ = try server.session(try await server.signIn(event: page.event))
    }
}
