import Foundation
import Project
import SAMLTestKit
import TestKit
import Testing

@Suite("The host that a proxy forwards", .teardown, .timeLimit(.minutes(15)))
struct ForwardedHostTests {
    private static let publicURL = ["POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com"]
    private static let trusting = publicURL.merging(["POSTERN_SERVER_TRUSTED_PROXIES": "127.0.0.1"]) { $1 }
    private static let start = HandlerBrowser.web("signInViaRedirect", "oidc.code")

    private func redirectURI(_ server: TestServer, _ headers: [(String, String)]) async throws -> String? {
        var browser = HandlerBrowser(server: server)
        let began = try await browser.open(Self.start, headers: headers)
        #expect(began.status == 303)
        let items = URLComponents(string: try #require(began.header("Location")))?.queryItems
        return items?.first { $0.name == "redirect_uri" }?.value
    }

    @Test("names the host of a flow and of its return address, if the proxy is trusted and the host is authorized")
    func flow() async throws {
        let server = try await FlowServer.start(environment: Self.trusting)
        for host in ["app.example.com", "App.Example.com", "www.app.example.com:8443"] {
            let headers = [("X-Forwarded-Host", host)]
            let expected = "https://\(host.lowercased())/__/auth/handler"
            #expect(try await redirectURI(server, headers) == expected)
            let file = try await server.client.get("/__/firebase/init.json", headers: headers)
            #expect(file["authDomain"]?.string == host.lowercased())
        }
        var browser = HandlerBrowser(server: server)
        let began = try await browser.open(Self.start, headers: [("X-Forwarded-Host", "app.example.com")])
        let answer = try await FakeAuthorizationServer.visit(try #require(began.header("Location")))
        let page = try await browser.carry(answer)
        #expect(page.event["urlResponse"]?.string?.hasPrefix("https://app.example.com/__/auth/handler?state=") == true)
        _ = try server.session(try await server.signIn(event: page.event))
    }

    @Test("is ignored where it is no single, valid, authorized host", arguments: ServerMode.allCases)
    func refused(mode: ServerMode) async throws {
        let hostile = [
            "evil.example", "app.example.com.evil.example", "app.example.com, evil.example", "app.example.com,app.example.com",
            "app.example.com/", "https://app.example.com", "user@app.example.com", "app.example.com:0", "app.example.com.", "",
            "a.auth.example.com", "app.example.com%2f.evil.example", "app_example.com",
        ]
        let server = try await FlowServer.start(mode: mode, environment: Self.trusting)
        let own = try await redirectURI(server, [])
        for host in hostile { #expect(try await redirectURI(server, [("X-Forwarded-Host", host)]) == own, "\(host)") }
        let twice = ["app.example.com", "app.example.com"].map { ("X-Forwarded-Host", $0) }
        #expect(try await redirectURI(server, twice) == own)
    }

    @Test("is ignored from a peer that is no trusted proxy")
    func stranger() async throws {
        for proxies in [nil, "10.0.0.0/8"] {
            var environment = Self.publicURL
            environment["POSTERN_SERVER_TRUSTED_PROXIES"] = proxies
            let server = try await FlowServer.start(environment: environment)
            let headers = [("X-Forwarded-Host", "app.example.com"), ("X-Forwarded-For", "10.0.0.1")]
            let uri = try await redirectURI(server, headers)
            #expect(uri == "https://auth.example.com/__/auth/handler")
        }
    }

    @Test("names nothing else: no issuer, no key document, no link in a mail, and no guard goes by it")
    func elsewhere() async throws {
        let forwarded = [("X-Forwarded-Host", "app.example.com")]
        let project: @Sendable (FakeIDP) -> String = { _ in
            "config: {signIn: {email: {enabled: true}}, authorizedDomains: [app.example.com]}"
        }
        let server = try await TestServer.start(environment: Self.trusting, project: project)
        for path in ["/.well-known/openid-configuration", "/demo-test/.well-known/openid-configuration"] {
            let answer = try await server.client.get(path, headers: forwarded)
            #expect(answer["jwks_uri"] == "https://auth.example.com/.well-known/jwks.json")
            #expect(answer["issuer"] == "https://securetoken.google.com/demo-test")
        }
        _ = try await server.signUp("a@b.c")
        let body: JSONValue = ["requestType": "PASSWORD_RESET", "email": "a@b.c", "returnOobLink": true]
        let mail = try await server.client.post("/v1/accounts:sendOobCode", body, headers: TestServer.bearer + forwarded)
        #expect(mail["oobLink"]?.string?.hasPrefix("https://auth.example.com/__/auth/action?") == true)
        // Only the page's own origin may post the form.
        let foreign = [("Origin", "https://app.example.com"), ("Content-Type", "application/x-www-form-urlencoded")]
        let form = Data("oobCode=x&mode=verifyEmail&apiKey=\(TestServer.apiKey)".utf8)
        let posted = try await server.client.send("POST", "/__/auth/action", headers: foreign + forwarded, body: form)
        #expect(posted.status == 403)
    }

    @Test("is what the page asks the operator for when the cookie of a sign-in is lost")
    func lostCookie() async throws {
        let server = try await FlowServer.start(environment: Self.trusting)
        var browser = HandlerBrowser(server: server)
        let answer = try await browser.consent(Self.start)
        let cookie = browser.cookie
        browser.cookie = nil
        let page = try await browser.carry(answer)
        #expect(page.status == 400 && page.event == .null)
        for word in ["Host", "X-Forwarded-Host", "server.trustedProxies", "authorizedDomains"] {
            #expect(page.page.html.contains(word), "\(word)")
        }
        // An unknown sign-in is told nothing, and the cookie still finishes this one.
        let unknown = try await browser.send("GET", "/__/auth/handler?state=x&code=y", body: nil)
        #expect(unknown.page.title == "This sign-in is over")
        browser.cookie = cookie
        #expect(try await browser.carry(answer).status == 200)
    }

    @Test("is where a SAML provider answers, if callbackUri is the handler on an authorized host")
    func saml() async throws {
        let stage = try await SAMLStage.start(environment: Self.trusting)
        let server = stage.server
        func use(_ callback: String) async throws {
            let body: JSONValue = ["spConfig": ["callbackUri": .string(callback)]]
            let path = "/inboundSamlConfigs/saml.test?updateMask=spConfig.callbackUri"
            #expect(try await server.admin("PATCH", path, body).status == 200)
        }
        let start = HandlerBrowser.web("signInViaPopup", "saml.test", eventID: "1")
        try await use("https://auth.example.com/__/auth/handler")
        for host in [nil, "app.example.com", "www.app.example.com"] {
            var browser = HandlerBrowser(server: server)
            let headers = host.map { [("X-Forwarded-Host", $0)] } ?? []
            let began = try await browser.open(start, headers: headers)
            let request = try SAMLTestRequest(redirect: try #require(began.header("Location")))
            let consumer = "https://\(host ?? "auth.example.com")/__/auth/handler"
            #expect(request.assertionConsumerURL == consumer)
            let visit = SAMLStage.Visit(request: request, relayState: try #require(request.relayState), sessionID: nil)
            // Elsewhere is refused, even at another host of the handler.
            let wrong = try stage.form(visit) { $0.destination = "https://localhost/__/auth/handler" }
            let refused = try await server.signIn(event: try await browser.carryPosted(wrong).event)
            expectRefused(refused)
            let again = try await browser.open(start, headers: headers)
            let second = try SAMLTestRequest(redirect: try #require(again.header("Location")))
            let good = SAMLStage.Visit(request: second, relayState: try #require(second.relayState), sessionID: nil)
            let page = try await browser.carryPosted(try stage.form(good))
            #expect(page.event["urlResponse"]?.string?.hasPrefix(consumer) == true)
            _ = try server.session(try await server.signIn(event: page.event))
        }
        for callback in ["https://evil.example/__/auth/handler", "https://app.example.com/callback"] {
            try await use(callback)
            var browser = HandlerBrowser(server: server)
            let page = try await browser.open(start, headers: [("X-Forwarded-Host", "app.example.com")])
            #expect(page.event["error"]?["code"] == "auth/operation-not-allowed", "\(callback)")
        }
    }

    @Test("is in the SAML metadata, with every host of the handler, bounded, and callbackUri as the default")
    func samlMetadata() async throws {
        let stage = try await SAMLStage.start(environment: Self.trusting)
        let server = stage.server
        func consumers(_ callback: String, _ domains: [String]) async throws -> [String] {
            let body: JSONValue = ["spConfig": ["callbackUri": .string(callback)]]
            let path = "/inboundSamlConfigs/saml.test?updateMask=spConfig.callbackUri"
            #expect(try await server.admin("PATCH", path, body).status == 200)
            let listed: JSONValue = ["authorizedDomains": .array(domains.map(JSONValue.string))]
            #expect(try await server.admin("PATCH", "/config?updateMask=authorizedDomains", listed).status == 200)
            let answer = try await server.client.get("/__/auth/saml/saml.test/metadata")
            let parts = String(decoding: answer.bytes, as: UTF8.self).components(separatedBy: "<md:AssertionConsumerService ")
                .dropFirst()
            for (index, part) in parts.enumerated() {
                #expect(part.contains("index=\"\(index)\"") && part.contains("isDefault=\"true\"") == (index == 0))
            }
            return parts.compactMap { $0.components(separatedBy: "Location=\"").last?.components(separatedBy: "\"").first }
        }
        func handler(_ host: String) -> String { "https://\(host)/__/auth/handler" }
        let domains = [
            "localhost", "127.0.0.1", "app.example.com", "Two.example.com", "chrome-extension://abc", "auth.example.com",
        ]
        let hosts = ["auth.example.com", "app.example.com", "two.example.com"]
        #expect(try await consumers(handler("auth.example.com"), domains) == hosts.map(handler))
        // The default is what the configuration says, and may be a host below a listed one.
        let first = handler("www.app.example.com:8443")
        #expect(try await consumers(first, domains) == [first] + hosts.map(handler))
        // What a flow asks for stands there.
        var browser = HandlerBrowser(server: server)
        let start = HandlerBrowser.web("signInViaPopup", "saml.test", eventID: "1")
        let began = try await browser.open(start, headers: [("X-Forwarded-Host", "two.example.com")])
        let request = try SAMLTestRequest(redirect: try #require(began.header("Location")))
        #expect(request.assertionConsumerURL == handler("two.example.com"))
        let many = (0..<500).map { "h\($0).example.com" }
        let bounded = try await consumers(handler("h400.example.com"), many)
        #expect(bounded.count == 64 && Set(bounded).count == 64 && bounded.first == handler("h400.example.com"))
        #expect(bounded.contains(handler("auth.example.com")))
        // Another page gets every response by itself.
        for other in ["https://app.example.com/callback", handler("evil.example")] {
            #expect(try await consumers(other, domains) == [other])
        }
    }
}
