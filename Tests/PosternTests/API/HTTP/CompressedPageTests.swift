import Foundation
import Project
import TestKit
import Testing

@Suite("Compressed forms of pages (ruling 39)", .teardown, .timeLimit(.minutes(15)))
struct CompressedPageTests {
    private static let codings = ["gzip", "x-gzip", "deflate", "br", "gzip, gzip", "nonsense"]

    private func expectRefused(_ answer: TestClient.Answer, _ name: String) {
        #expect(answer.status == 415, "\(name): \(answer.status)")
        #expect(answer.header("Accept-Encoding") == "identity", "\(name)")
    }

    @Test("are refused by the page for providers' answers, and leave the answer good", arguments: ServerMode.allCases)
    func handler(mode: ServerMode) async throws {
        let server = try await FlowServer.start(mode: mode)
        var browser = HandlerBrowser(server: server)
        let answer = try await browser.consent(HandlerBrowser.web("signInViaPopup", "oidc.code", eventID: "1"))
        let cookie = browser.cookie.map { [("Cookie", $0)] } ?? []
        try await refuses(server, "/__/auth/handler", answer.form, cookie)
        let carried = try await browser.carry(answer)
        #expect(carried.status == 200)
    }

    @Test("are refused by the page for codes in mails, and leave the code good")
    func action() async throws {
        let server = try await TestServer.start(project: TestServer.emailProject(""))
        let session = try await server.signUp("a@b.c")
        let page = try await server.visit(try await server.link("VERIFY_EMAIL", session.token))
        try await refuses(server, "/__/auth/action", TestClient.encode(page.fields))
        let submitted = try await server.submit(page)
        #expect(submitted.status == 200)
    }

    private func refuses(_ server: TestServer, _ path: String, _ text: String, _ cookie: [(String, String)] = []) async throws {
        let whole = Data(Gzip.stream(Array(text.utf8)))
        let large = Data(Gzip.stream([UInt8](repeating: 0x61, count: 20 << 20)))
        for coding in Self.codings {
            for body in [whole, whole.dropLast(3), large, Data(text.utf8), Data()] {
                let headers = [("Content-Type", "application/x-www-form-urlencoded")] + cookie + [("Content-Encoding", coding)]
                let answer = try await server.client.send("POST", path, headers: headers, body: body)
                expectRefused(answer, "\(path), \(coding)")
            }
        }
    }

    @Test("are refused by the console, also before the sign-in, and leave the session good")
    func console() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let owner = try await ConsoleClient.enroll(server)
        _ = try await owner.get("/console/profile")
        let token = try #require(owner.formToken)
        let own = ConsoleClient.ownHeaders(server) + [("Content-Type", "application/x-www-form-urlencoded")]
        let cookie = [("Cookie", "__Host-postern-console=\(try #require(owner.cookie))")]
        let body = Data(Gzip.stream(Array(TestClient.encode([("csrf", token)]).utf8)))
        for coding in Self.codings {
            for (path, headers) in [
                ("/console/sign-in", own), ("/console/sign-out", own + cookie), ("/console/confirm", own + cookie),
            ] {
                let headers = headers + [("Content-Encoding", coding)]
                expectRefused(try await server.client.send("POST", path, headers: headers, body: body), "\(path), \(coding)")
            }
        }
        #expect(try await owner.get("/console/profile").status == 200)
        #expect(try await owner.post("/console/sign-out", []).status == 303)
    }
}
