import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing
import Tokens

@testable import Server

@Suite("Access to the console", .teardown, .timeLimit(.minutes(15)))
struct ConsoleAccessTests {
    private func start(on engine: Engine = .sqlite) async throws -> TestServer {
        try await TestServer.start(environment: ConsoleClient.environment, on: engine)
    }

    private func origin(_ server: TestServer) -> String { "http://localhost:\(server.port)" }

    private func ceremony(_ server: TestServer) -> SoftwareAuthenticator.Ceremony {
        SoftwareAuthenticator.Ceremony(origin: origin(server), relyingPartyID: "localhost")
    }

    // The challenge of the first passkey button of a page.
    private func challenge(_ page: ConsoleClient.Page) throws -> String {
        let options = try #require(page.html.firstMatch(of: /data-options="([^"]*)"/).map { String($0.1) })
        let json = try JSONValue.parse(options.replacing("&quot;", with: "\"").utf8)
        let text = try #require(json["challenge"]?.string)
        return Data(try #require(Base64URL.decode(text.utf8))).base64EncodedString()
    }

    @Test("an invitation makes an operator once, and its passkey signs in", arguments: Engine.allCases)
    func passkey(engine: Engine) async throws {
        let server = try await start(on: engine)
        let code = try #require(try await server.core.useCases.console.invitations.firstStart())
        let link = "/console/invitation?code=\(code)&email=ada@example.com"
        let page = ConsoleClient.Page(answer: try await server.client.get(link))
        let key = SoftwareAuthenticator()
        let response = try key.register(try challenge(page), ceremony(server))
        let fields = [
            ("invitation", code), ("email", "ada@example.com"), ("way", "passkey"), ("name", "laptop"),
            ("response", response.text),
        ]
        let done = try await post(server, "/console/invitation", fields)
        #expect(done.status == 303)
        let cookie = try #require(done.answer.header("Set-Cookie"))
        #expect(cookie.hasSuffix("; Path=/; Secure; HttpOnly; SameSite=Strict"))
        // The invitation is used up, and there is an operator now.
        #expect(try await server.client.get(link).status == 400)
        #expect(try await server.core.useCases.console.invitations.firstStart() == nil)

        let signIn = ConsoleClient.Page(answer: try await server.client.get("/console/sign-in"))
        let operatorID = try #require(try await server.core.useCases.console.directory.all().first?.operatorID)
        var assertion = ceremony(server)
        assertion.userHandle = operatorID
        let challenge = try challenge(signIn)
        let answer = try key.assert(challenge, assertion).text
        #expect(try await post(server, "/console/sign-in", [("way", "passkey"), ("response", answer)]).status == 303)
        // A challenge is good once.
        #expect(try await post(server, "/console/sign-in", [("way", "passkey"), ("response", answer)]).status == 200)
        for damage in [0, 1, 2] {
            var wrong = assertion
            if damage == 0 { wrong.damagesSignature = true }
            if damage == 1 { wrong.origin = "https://evil.example" }
            if damage == 2 { wrong.userHandle = "somebody-else" }
            let fresh = ConsoleClient.Page(answer: try await server.client.get("/console/sign-in"))
            let text = try key.assert(try self.challenge(fresh), wrong).text
            let page = try await post(server, "/console/sign-in", [("way", "passkey"), ("response", text)])
            #expect(page.status == 200 && page.answer.header("Set-Cookie") == nil)
            #expect(page.html.contains("role=\"alert\""))
        }
    }

    private func post(
        _ server: TestServer,
        _ path: String,
        _ fields: [(String, String)]
    ) async throws -> ConsoleClient.Page {
        let type = [("Content-Type", "application/x-www-form-urlencoded")]
        let headers = type + ConsoleClient.ownHeaders(server)
        let body = Data(TestClient.encode(fields).utf8)
        return ConsoleClient.Page(answer: try await server.client.send("POST", path, headers: headers, body: body))
    }

    @Test("a password needs a code of the app, and no code is taken twice", arguments: Engine.allCases)
    func password(engine: Engine) async throws {
        let server = try await start(on: engine)
        let browser = try await ConsoleClient.enroll(server)
        let first = try #require(browser.cookie)
        #expect(try await browser.signIn().status == 200, "the code of the enrolment")
        server.clock.advance(by: .seconds(30))
        #expect(try await browser.signIn(password: "wrong").status == 200)
        #expect(try await browser.signIn(code: "000000").status == 200)
        #expect(try await browser.signIn().status == 303)
        #expect(browser.cookie != nil && browser.cookie != first)
        #expect(try await browser.get("/console").title == "<bdi>Overview</bdi>")
    }

    @Test("guesses are slowed down for their network, and do not lock the operator out")
    func guesses() async throws {
        let server = try await TestServer.start(
            environment: ConsoleClient.environment.merging(["POSTERN_SERVER_TRUSTED_PROXIES": "127.0.0.1"]) { $1 }
        )
        let browser = try await ConsoleClient.enroll(server)
        server.clock.advance(by: .seconds(30))
        #expect(try await browser.signIn().status == 303)
        func guess() async throws -> ConsoleClient.Page {
            let headers = ConsoleClient.ownHeaders(server) + [("X-Forwarded-For", "203.0.113.9")]
            let fields = [("way", "password"), ("email", browser.email), ("password", "x"), ("code", "123456")]
            let type = [("Content-Type", "application/x-www-form-urlencoded")]
            let body = Data(TestClient.encode(fields).utf8)
            return ConsoleClient.Page(
                answer: try await server.client.send("POST", "/console/sign-in", headers: type + headers, body: body)
            )
        }
        for _ in 0..<5 { #expect(try await guess().html.contains("Address, password or code are wrong.")) }
        #expect(try await guess().html.contains("Too many attempts."))
        server.clock.advance(by: .seconds(30))
        #expect(try await browser.signIn().status == 303)
    }

    @Test(
        "refused tries are in the audit trail once a minute, with the operator if there is one",
        arguments: Engine.allCases
    )
    func refusals(engine: Engine) async throws {
        let server = try await start(on: engine)
        let browser = try await ConsoleClient.enroll(server)
        for _ in 0..<4 { #expect(try await browser.signIn(password: "wrong").status == 200) }
        let fields = [("way", "password"), ("email", "nobody@example.com"), ("password", "x"), ("code", "123456")]
        #expect(try await post(server, "/console/sign-in", fields).status == 200)
        await server.recordRefusals()
        let scope = Scope(projectID: "demo-test")
        let filter = AuditFilter(event: AuditEvent.Kind.refused.rawValue, limit: 100)
        let events = try await server.core.database.read { try $0.auditEvents(scope, filter) }
        let tries = events.filter { $0.detail?["code"] == "wrongCredentials" }
        #expect(Set(tries.map(\.actor)) == ["operator:owner@example.com", "operator"])
        #expect(tries.reduce(0) { $0 + $1.repeats + 1 } == 5 && tries.count == 2)
        #expect(tries.allSatisfy { $0.address == "127.0.0.1" })
        let stored = try await server.storedText()
        #expect(!stored.contains("nobody@example.com"))
    }

    @Test("a link from another site, which comes without the cookie, signs nobody out")
    func foreignLinks() async throws {
        let server = try await start()
        let browser = try await ConsoleClient.enroll(server)
        let answer = try await server.client.get("/console", headers: [("Sec-Fetch-Site", "cross-site")])
        #expect(answer.status == 303 && answer.header("Set-Cookie") == nil)
        #expect(try await browser.get("/console").status == 200)
        browser.cookie = "ended"
        #expect(try await browser.get("/console").answer.header("Set-Cookie")?.contains("Max-Age=0") == true)
    }

    @Test("a session ends when it is idle, after its time, and when its operator signs out (SES-09)")
    func sessionEnds() async throws {
        let server = try await start()
        let browser = try await ConsoleClient.enroll(server)
        func isIn() async throws -> Bool {
            let cookie = browser.cookie
            let page = try await browser.get("/console/profile")
            browser.cookie = cookie
            return page.status == 200
        }
        server.clock.advance(by: .seconds(29 * 60))
        #expect(try await isIn())
        server.clock.advance(by: .seconds(31 * 60))
        #expect(try await !isIn())
        server.clock.advance(by: .seconds(30))
        #expect(try await browser.signIn().status == 303)
        for _ in 0..<25 {
            server.clock.advance(by: .seconds(28 * 60))
            #expect(try await isIn())
        }
        server.clock.advance(by: .seconds(25 * 60))
        #expect(try await !isIn(), "twelve hours are over")

        server.clock.advance(by: .seconds(30))
        #expect(try await browser.signIn().status == 303)
        _ = try await browser.get("/console")
        let stolen = browser.cookie
        #expect(try await browser.post("/console/sign-out", []).status == 303)
        #expect(browser.cookie == nil)
        browser.cookie = stolen
        #expect(try await browser.get("/console").location?.hasPrefix("/console/sign-in") == true)
    }

    @Test("a form of another page, without a sender, or with another session's token is refused (WEB-05)")
    func foreignForms() async throws {
        let server = try await start()
        let browser = try await ConsoleClient.enroll(server)
        let other = try await ConsoleClient.enroll(server, role: .administrator)
        _ = try await browser.get("/console/profile")
        _ = try await other.get("/console/profile")
        let origin = server.client.base
        let fields = [("way", "endSession")]
        for headers in [
            [], [("Origin", "https://evil.example")], [("Origin", "null")], [("Sec-Fetch-Site", "none")],
            [("Origin", origin), ("Sec-Fetch-Site", "cross-site")], [("Origin", origin), ("Sec-Fetch-Site", "same-site")],
            [("Origin", "http://127.0.0.1:1")],
        ] as [[(String, String)]] {
            #expect(try await browser.post("/console/profile", fields, headers: headers).status == 403, "\(headers)")
        }
        let csrf = try #require(other.formToken)
        let type = [("Content-Type", "application/x-www-form-urlencoded")]
        for token in ["", "x", csrf] {
            let answer = try await server.client.send(
                "POST",
                "/console/profile",
                headers: type + ConsoleClient.ownHeaders(server)
                    + [("Cookie", "__Host-postern-console=\(try #require(browser.cookie))")],
                body: Data(TestClient.encode([("csrf", token)] + fields).utf8)
            )
            #expect(answer.status == 403)
        }
        #expect(try await browser.post("/console/profile", fields).status == 303)
    }

    @Test("what hurts asks for a fresh proof, which gives the session a new token")
    func confirmation() async throws {
        let server = try await start()
        let browser = try await ConsoleClient.enroll(server)
        server.clock.advance(by: .seconds(301))
        _ = try await browser.get("/console/keys")
        let kid = try server.core.keyRing.current().kid
        let rotate = [("do", "rotate"), ("confirmed", "yes")]
        let refused = try await browser.post("/console/keys", rotate)
        #expect(refused.location == "/console/confirm?back=%2Fconsole%2Fkeys")
        #expect(try server.core.keyRing.current().kid == kid)
        let before = browser.cookie
        try await browser.confirm()
        #expect(browser.cookie != before)
        // Without the confirmation of the page itself the console asks.
        let asks = try await browser.post("/console/keys", [("do", "rotate")])
        #expect(asks.status == 200 && asks.html.contains("name=\"confirmed\""))
        #expect(try await browser.post("/console/keys", rotate).status == 303)
        #expect(try server.core.keyRing.current().kid != kid)
        // The token from before the proof is good for nothing.
        let now = browser.cookie
        browser.cookie = before
        #expect(try await browser.get("/console/keys").location?.hasPrefix("/console/sign-in") == true)
        browser.cookie = now
    }

    @Test("is not counted as a failure where a form breaks off")
    func brokenForm() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let fields = ["POST /console/sign-in HTTP/1.1", "Host: localhost:\(server.port)", "Transfer-Encoding: chunked"]
        let request = (fields + ["Content-Type: application/x-www-form-urlencoded", "", "5", "email", "ZZ", ""])
            .joined(separator: "\r\n")
        let answer = try await RawConnection.answer(to: request, port: server.port)
        #expect(!answer.hasPrefix("HTTP/1.1 5"), "\(answer)")
        #expect(server.log.lines.allSatisfy { !$0.hasPrefix("error") }, "\(server.log.lines)")
    }
}
