import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("Import and export in the console", .teardown, .timeLimit(.minutes(15)))
struct ConsoleImportTests {
    private static let users = """
        {"users": [
        {"localId": "one", "email": "one@example.com", "phoneNumber": "+15555550111"},
        {"localId": "two", "email": "not an address <script>"},
        {"localId": "three", "displayName": "<img src=x>"}
        ]}
        """

    private func exists(_ server: TestServer, _ localID: String) async throws -> Bool {
        let scope = Scope(projectID: "demo-test")
        return try await server.core.database.read { try $0.account(scope, localID: localID) } != nil
    }

    @Test("a dry run stores nothing, and an import tells what it left out", arguments: Engine.allCases)
    func importing(engine: Engine) async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment, on: engine)
        let browser = try await ConsoleClient.enroll(server, role: .administrator)
        _ = try await browser.get("/console/imports")
        let fields = [("format", "json"), ("users", Self.users)]
        let dry = try await browser.post("/console/imports", fields + [("dryRun", "on")])
        #expect(dry.html.contains("Dry run of 3 rows: 2 would be imported, 0 had been imported before, 1 rejected."))
        #expect(try await !exists(server, "one"))
        let done = try await browser.post("/console/imports", fields)
        #expect(done.html.contains("3 rows: 2 imported, 0 had been imported before, 1 rejected."))
        #expect(done.html.contains("row 2, line 3 (two):") && !done.html.contains("<script>"))
        #expect(try await exists(server, "one"))
        let again = try await browser.post("/console/imports", fields)
        #expect(again.html.contains("3 rows: 0 imported, 2 had been imported before, 1 rejected."))
        #expect(try await server.auditTrail().contains(["import", "operator:administrator@example.com", "one"]))
        let broken = try await browser.post("/console/imports", [("format", "json"), ("users", "{\"users\": [{")])
        #expect(broken.status == 200 && broken.html.contains("The import stopped:"))
        #expect(try await browser.post("/console/imports", [("format", "json")]).status == 400)
        #expect(try await browser.post("/console/imports", [("format", "xml"), ("users", "x")]).status == 405)
    }

    @Test("a wrong password of the probe, or no hash, imports nothing")
    func probe() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let browser = try await ConsoleClient.enroll(server, role: .support)
        _ = try await browser.get("/console/imports")
        // HMAC-SHA256 of "right password" under the key "a key of the test".
        let hash = "rkG4/4g7kds2OSPnsfNGtorFJd697diwngdBhMYtvXg="
        let users = "{\"users\": [{\"localId\": \"b\", \"email\": \"b@example.com\", \"passwordHash\": \"\(hash)\"}]}"
        let parameters = "hash_config { algorithm: HMAC_SHA256, base64_signer_key: YSBrZXkgb2YgdGhlIHRlc3Q= }"
        let fields = [("format", "json"), ("users", users), ("hashes", parameters)]
        let wrong = try await browser.post("/console/imports", fields + [("probeEmail", "B@example.com"), ("probe", "x")])
        #expect(wrong.html.contains("the password is not that of"))
        let nobody = try await browser.post("/console/imports", fields + [("probeEmail", "c@example.com"), ("probe", "x")])
        #expect(nobody.html.contains("no row of the file has the address"))
        #expect(try await !exists(server, "b"))
        let empty = try await browser.post("/console/imports", [("format", "json"), ("users", users), ("hashes", "-")])
        #expect(empty.status == 400)
        let probe = [("probeEmail", "B@example.com"), ("probe", "right password")]
        let right = try await browser.post("/console/imports", fields + probe)
        #expect(right.html.contains("1 rows: 1 imported") && !right.html.contains("right password"))
        #expect(try await exists(server, "b"))
    }

    @Test("a file comes in pieces, and is its sender's alone")
    func pieces() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let browser = try await ConsoleClient.enroll(server, role: .administrator)
        let other = try await ConsoleClient.enroll(server, role: .support)
        for browser in [browser, other] { _ = try await browser.get("/console/imports") }
        func send(_ piece: String, _ query: String, by browser: ConsoleClient, token: String? = nil) async throws
            -> TestClient.Answer
        {
            let headers =
                ConsoleClient.ownHeaders(server) + [
                    ("Cookie", "__Host-postern-console=\(browser.cookie ?? "")"),
                    ("X-Console-Form", token ?? browser.formToken ?? ""),
                ]
            let path = "/console/imports/upload\(query)"
            return try await server.client.send("POST", path, headers: headers, body: Data(piece.utf8))
        }
        #expect(try await send("x", "", by: browser, token: "wrong").status == 403)
        let (head, tail) = (Self.users.prefix(40), Self.users.dropFirst(40))
        let id = try #require(try await send(String(head), "?offset=0", by: browser)["upload"]?.string)
        // A piece whose answer was lost comes again.
        #expect(try await send(String(head), "?upload=\(id)&offset=0", by: browser)["bytes"]?.integer == 40)
        #expect(try await send("x", "?upload=\(id)&offset=40", by: other).status == 404)
        let size = try await send(String(tail), "?upload=\(id)&offset=40", by: browser)["bytes"]?.integer
        #expect(size == Int64(Self.users.utf8.count))
        let fields = [("format", "json"), ("upload", id)]
        #expect(try await other.post("/console/imports", fields).status == 404)
        let done = try await browser.post("/console/imports", fields)
        #expect(done.answer.header("Content-Type") == "application/x-ndjson")
        let last = try #require(try done.html.split(separator: "\n").map { try JSONValue.parse($0.utf8) }.last)
        #expect(last["text"]?.string?.contains("2 imported") == true && last["failed"] == false)
        #expect(last["items"]?.array?.count == 1)
        #expect(try await exists(server, "three"))
        #expect(try await browser.post("/console/imports", fields).status == 404, "it is used up")
        #expect(try await send(String(repeating: "x", count: 2 << 20), "", by: browser).status == 413)
    }

    @Test("what is stored needs a fresh proof, a dry run none, and viewers import nothing")
    func permissions() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let viewer = try await ConsoleClient.enroll(server, role: .viewer)
        #expect(try await viewer.get("/console/imports").status == 403)
        let fields = [("format", "json"), ("users", Self.users)]
        _ = try await viewer.get("/console")
        #expect(try await viewer.post("/console/imports", fields).status == 403)
        let browser = try await ConsoleClient.enroll(server, role: .support)
        _ = try await browser.get("/console/imports")
        server.clock.advance(by: .seconds(301))
        for more in [[], [("overwrite", "on")], [("dryRun", "")]] {
            let storing = try await browser.post("/console/imports", fields + more)
            #expect(storing.location?.hasPrefix("/console/confirm") == true, "\(more)")
        }
        #expect(try await !exists(server, "one"))
        #expect(try await browser.post("/console/imports", fields + [("dryRun", "on")]).status == 200)
        #expect(try await browser.get("/console/imports").html.contains("A dry run needs no proof."))
        try await browser.confirm()
        #expect(try await browser.post("/console/imports", fields).status == 200)
        #expect(try await exists(server, "three"))
    }

    @Test("hashes go out to full administrators with a fresh proof, numbers to those who see them")
    func export() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let body: JSONValue = [
            "localId": "p", "email": "p@example.com", "password": "a password", "phoneNumber": "+15555550123",
        ]
        #expect(try await server.admin("accounts", body).status == 200)
        let administrator = try await ConsoleClient.enroll(server, role: .administrator)
        let viewer = try await ConsoleClient.enroll(server, role: .viewer)
        for browser in [administrator, viewer] { _ = try await browser.get("/console/exports") }
        for format in ["json", "csv", "postern"] {
            let file = try await viewer.post("/console/exports", [("format", format)])
            #expect(file.status == 200 && file.html.contains("p@example.com"))
            #expect(!file.html.contains("5555550123") && !file.html.contains("passwordHash"))
        }
        let hashes = [("format", "postern"), ("hashes", "yes"), ("confirmed", "yes")]
        #expect(try await viewer.post("/console/exports", hashes).status == 403)
        let scope = Scope(projectID: "demo-test")
        let filter = AuditFilter(event: "export", limit: 100)
        let taken = try await server.core.database.read { try $0.auditEvents(scope, filter) }
        #expect(!taken.isEmpty && taken.allSatisfy { $0.actor == "operator:\(viewer.email)" && $0.detail == ["whole": true] })
        let plain = try await administrator.post("/console/exports", [("format", "json")])
        #expect(plain.html.contains("+15555550123") && !plain.html.contains("passwordHash"))
        let asked = try await administrator.post("/console/exports", [("format", "postern"), ("hashes", "yes")])
        #expect(asked.html.contains("name=\"confirmed\"") && !asked.html.contains("p@example.com"))
        let whole = try await administrator.post("/console/exports", hashes)
        let user = try JSONValue.parse(whole.answer.bytes)["users"]?[0]
        #expect(user?["passwordHash"]?.string?.isEmpty == false)
        let trail = try await server.auditTrail()
        #expect(trail.contains(["export", "operator:administrator@example.com", ""]))
        server.clock.advance(by: .seconds(301))
        let late = try await administrator.post("/console/exports", hashes)
        #expect(late.location?.hasPrefix("/console/confirm") == true)
    }
}
