import Foundation
import Project
import TestKit
import Testing

/// A browser for the web handler. It keeps the handler's cookie.
struct HandlerBrowser {
    let server: TestServer
    var cookie: String?

    static let app = "https://app.example.com/page?x=1&y=2"
    static let rawSession = "ABCDEFGHIJ"

    /// The parameters that the JS SDK sends.
    static func web(_ authType: String, _ providerID: String = "oidc.code", eventID: String? = nil) -> [(String, String)] {
        var pairs = [
            ("apiKey", TestServer.apiKey), ("appName", "[DEFAULT]"), ("authType", authType), ("providerId", providerID),
            ("redirectUrl", app), ("v", "12.0.0"),
        ]
        if let eventID { pairs.append(("eventId", eventID)) }
        return pairs
    }

    /// The parameters that the iOS SDK sends.
    static func ios(
        _ providerID: String = "oidc.code",
        app: [(String, String)] = [("clientId", "123-abc.apps.googleusercontent.com")]
    ) -> [(String, String)] {
        [
            ("apiKey", TestServer.apiKey), ("authType", "signInWithRedirect"), ("providerId", providerID),
            ("ibi", "com.example.app"), ("eventId", "QWERTYUIOP"), ("sessionId", hexadecimal(sha256(rawSession.utf8))),
        ] + app
    }

    mutating func open(_ query: [(String, String)], headers: [(String, String)] = []) async throws -> HandlerAnswer {
        try await send("GET", "/__/auth/handler?" + TestClient.encode(query), headers: headers, body: nil)
    }

    /// Begins a sign-in, visits the provider's pages, and returns their answer.
    mutating func consent(_ query: [(String, String)]) async throws -> FakeAuthorizationServer.Answer {
        let began = try await open(query)
        #expect(began.status == 303)
        return try await FakeAuthorizationServer.visit(try #require(began.header("Location")))
    }

    /// Carries a provider's answer to the handler. A form that the provider's page posts comes without the cookie, as from strict
    /// browsers, and then again from our own page.
    mutating func carry(_ answer: FakeAuthorizationServer.Answer) async throws -> HandlerAnswer {
        switch answer.mode {
        case "query": return try await send("GET", "/__/auth/handler?" + answer.form, body: nil)
        case "form_post": return try await carryPosted(answer.form)
        // The page's script turns a fragment into this form.
        default: return try await send("POST", "/__/auth/handler", body: answer.form)
        }
    }

    /// Posts a form as a provider's page does.
    mutating func carryPosted(_ form: String) async throws -> HandlerAnswer {
        let kept = cookie
        cookie = nil
        let first = try await send("POST", "/__/auth/handler", body: form)
        cookie = kept
        return try await again(first)
    }

    /// Repeats an answer from our own site, as the page does. Any other page is returned unchanged.
    mutating func again(_ page: HandlerAnswer) async throws -> HandlerAnswer {
        guard page.data["kind"] == "again" else { return page }
        let fields = (page.data["fields"]?.array ?? []).map { ($0[0]?.string ?? "", $0[1]?.string ?? "") }
        return try await send(
            "POST",
            "/__/auth/handler",
            headers: [("Sec-Fetch-Site", "same-origin")],
            body: TestClient.encode(fields)
        )
    }

    mutating func send(
        _ method: String,
        _ path: String,
        headers: [(String, String)] = [],
        body: String?
    ) async throws -> HandlerAnswer {
        var headers = headers
        if let cookie { headers.append(("Cookie", "other=1; \(cookie)")) }
        if body != nil { headers.append(("Content-Type", "application/x-www-form-urlencoded")) }
        let answer = try await server.client.send(method, path, headers: headers, body: body.map { Data($0.utf8) })
        if let set = answer.header("Set-Cookie") { cookie = String(set.prefix { $0 != ";" }) }
        return HandlerAnswer(answer: answer)
    }
}

struct HandlerAnswer {
    let answer: TestClient.Answer

    var status: Int { answer.status }
    var page: PageVisit { PageVisit(answer: answer) }
    func header(_ name: String) -> String? { answer.header(name) }

    /// The data for the page's script.
    var data: JSONValue {
        let text = page.html.firstMatch(of: /<script type="application\/json" id="data" nonce="[^"]+">([^<]*)<\/script>/)
        return text.flatMap { try? JSONValue.parse($0.1.utf8) } ?? .null
    }

    var event: JSONValue { data["event"] ?? .null }

    var appURL: String? {
        page.html.firstMatch(of: /id="open" href="([^"]*)"/).map { String($0.1).replacing("&amp;", with: "&") }
    }

    /// The parameters of a URL's query, as iOS reads them: the first one of a name wins.
    static func parameters(_ url: String) -> [String: String] {
        let query = url.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        return Dictionary(FormEncoding.pairs(query.utf8).map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// The parts that the iOS SDK reads of the URL that opens the app.
    var iosCallback: IOSCallback? { appURL.flatMap(Self.iosCallback) }

    /// Scheme, inner URL, and the inner URL's parameters.
    typealias IOSCallback = (scheme: String, callback: String, parameters: [String: String])

    /// The parts that the iOS SDK reads of a URL (`Docs/Contract/web-handler.md` §6.2).
    static func iosCallback(of url: String) -> IOSCallback? {
        guard let end = url.firstRange(of: "://") else { return nil }
        guard url[end.upperBound...].hasPrefix("firebaseauth/link?") else { return nil }
        let callback = parameters(url)["deep_link_id"] ?? ""
        return (String(url[..<end.lowerBound]), callback, parameters(callback))
    }
}

extension TestServer {
    /// Completes a sign-in as the JS SDK does it with an auth event.
    func signIn(event: JSONValue, sessionID: String? = nil) async throws -> TestClient.Answer {
        var body: JSONValue = ["requestUri": event["urlResponse"] ?? .null, "returnSecureToken": true]
        body["sessionId"] = sessionID.map(JSONValue.string) ?? event["sessionId"]
        if event["postBody"]?.string?.isEmpty == false { body["postBody"] = event["postBody"] }
        if event["tenantId"]?.string != nil { body["tenantId"] = event["tenantId"] }
        return try await call("signInWithIdp", body)
    }
}
