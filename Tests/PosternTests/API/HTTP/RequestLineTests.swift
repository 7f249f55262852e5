import Project
import TestKit
import Testing

@testable import Server

@Suite("The line of a request in the log", .teardown, .timeLimit(.minutes(15)))
struct RequestLineTests {
    private func line(_ server: TestServer, _ id: String) -> String? {
        server.log.lines.first { $0.contains(" request ") && $0.contains("requestId=\(id)") }
    }

    @Test("has the code, the client's address, the request id and the cause in words")
    func refusal() async throws {
        let port = try RefusingPort()
        let issuer = "http://127.0.0.1:\(port.number)"
        let project: (FakeIDP) -> String = { _ in
            "oauthIdpConfigs: {oidc.test: {enabled: true, clientId: \(TestServer.oidcClient), issuer: \"\(issuer)\"}}"
        }
        let server = try await TestServer.start(project: project)
        let answer = try await server.signIn("oidc.test", try server.oidcToken("u", ["iss": .string(issuer)]))
        #expect(answer.status == 400)
        let id = try #require(answer.header("X-Request-Id"))
        let logged = try #require(line(server, id))
        for part in ["info request", "address=127.0.0.1", "code=INVALID_IDP_RESPONSE", "status=400"] {
            #expect(logged.contains(part), "\(part) in \(logged)")
        }
        // The connection is tried until the call's time is up.
        let reasons = [
            "(the server could not be reached)", "(the connection was refused)", "(the server did not answer in time)",
        ]
        #expect(reasons.contains(where: logged.contains), "\(logged)")
        for notation in ["Optional(", "OutboundError", "ProviderError", "hb.request.id"] {
            #expect(server.log.lines.allSatisfy { !$0.contains(notation) }, "\(notation)")
        }
        withExtendedLifetime(port) {}
    }

    @Test("has the client's own id of the request if it is a short word, and the server's otherwise; the answer has the same")
    func ids() async throws {
        let server = try await TestServer.start()
        for id in ["a", "Trace-1.2_3", String(repeating: "x", count: 64)] {
            let answer = try await server.client.get("/healthz", headers: [("X-Request-Id", id)])
            #expect(answer.header("X-Request-Id") == id)
            #expect(line(server, id) != nil)
        }
        for id in ["", "a b", "a=b", "\"", "ä", "a,b", String(repeating: "x", count: 65)] {
            let answer = try await server.client.get("/healthz", headers: [("X-Request-Id", id)])
            let own = try #require(answer.header("X-Request-Id"))
            #expect(own != id && own.utf8.count >= 16)
            #expect(line(server, own) != nil)
        }
        let twice = try await server.client.get("/healthz", headers: [("X-Request-Id", "one"), ("X-Request-Id", "two")])
        #expect(twice.header("X-Request-Id")?.contains("one") == false)
    }

    @Test("is joined by a warning for each e-mail that cannot leave, without its address; /readyz says why")
    func noTransport() async throws {
        let project = TestServer.emailProject(hidesAccounts: true)
        let server = try await TestServer.start(project: project)
        _ = try await server.signUp("ada@example.com")
        let body: JSONValue = ["requestType": "PASSWORD_RESET", "email": "ada@example.com"]
        for _ in 0..<2 { #expect(try await server.call("sendOobCode", body).status == 200) }
        let lines = server.log.lines.filter { $0.contains("an e-mail was not sent: email.transport is not set") }
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.hasPrefix("warning") && $0.contains("message=PASSWORD_RESET") && !$0.contains("ada") })
        let ready = try await server.client.get("/readyz")
        #expect(ready.status == 200 && ready["status"] == "ok")
        let warning = "email.transport is not set: no e-mail leaves this server, unless the project has one of its own"
        #expect(ready["warnings"] == [.string(warning)])
    }

    @Test("has nothing to warn of where mail leaves")
    func transport() async throws {
        let server = try await TestServer.start(mode: .development, environment: ["POSTERN_EMAIL_TRANSPORT": "log"])
        #expect(try await server.client.get("/readyz").json == ["status": "ok"])
    }
}
