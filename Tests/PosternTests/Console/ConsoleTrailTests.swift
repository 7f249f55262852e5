import Accounts
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("The console's audit trail", .teardown, .timeLimit(.minutes(15)))
struct ConsoleTrailTests {
    private func start(on engine: Engine = .sqlite) async throws -> TestServer {
        try await TestServer.start(environment: ConsoleClient.environment, on: engine)
    }

    @Test("is verified on demand, and a record that was altered is found", arguments: Engine.allCases)
    func verification(engine: Engine) async throws {
        let server = try await start(on: engine)
        let browser = try await ConsoleClient.enroll(server, role: .viewer)
        #expect(try await server.core.auditSequencer.sequence() == server.auditTrail().count)
        _ = try await browser.get("/console/audit")
        let whole = try await browser.post("/console/audit", [("do", "verify")])
        #expect(whole.status == 200 && whole.html.contains("No record was altered"))
        try await server.core.database.write { transaction throws in
            _ = try transaction.execute("UPDATE audit_events SET actor = '<b>nobody' WHERE chain_seq = 1")
        }
        let faulty = try await browser.post("/console/audit", [("do", "verify")])
        #expect(faulty.html.contains("The trail is not as this server left it."))
        #expect(faulty.html.contains("record 1 ("))
    }

    @Test("is downloaded as the command writes it, and not by a tenant's operator", arguments: Engine.allCases)
    func export(engine: Engine) async throws {
        let server = try await start(on: engine)
        let browser = try await ConsoleClient.enroll(server, role: .viewer)
        _ = try await server.core.auditSequencer.sequence()
        let file = try await browser.get("/console/audit/export")
        #expect(file.answer.header("Content-Disposition") == "attachment; filename=\"audit.jsonl\"")
        let lines = try file.html.split(separator: "\n").map { try JSONValue.parse($0.utf8) }
        var own: [JSONValue] = []
        let export = AuditExport(database: server.core.database, format: .jsonl)
        _ = try await export.export(projectID: "demo-test") { own.append($0) }
        #expect(lines == own && lines.count > 2)
        let events = try await browser.get("/console/audit/export?format=ocsf").html
        #expect(events.contains("class_uid"))
        #expect(try await browser.get("/console/audit/export?format=xml").status == 404)
        let tenants = try await ConsoleClient.enroll(server, role: .viewer, tenantID: "acme", email: "t@example.com")
        #expect(try await tenants.get("/console/audit/export").status == 403)
        _ = try await tenants.get("/console/audit")
        #expect(try await tenants.post("/console/audit", [("do", "verify")]).status == 403)
    }

    /// A stream of events, read part by part.
    private struct Stream {
        private var iterator: HTTPClientResponse.Body.AsyncIterator
        private var text = ""

        init(_ server: TestServer, _ browser: ConsoleClient, _ path: String) async throws {
            var request = HTTPClientRequest(url: server.client.base + path)
            request.headers.add(name: "Cookie", value: "__Host-postern-console=\(browser.cookie ?? "")")
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(600))
            try #require(response.status == .ok)
            try #require(response.headers.first(name: "Content-Type") == "text/event-stream")
            iterator = response.body.makeAsyncIterator()
        }

        /// The next message of a name.
        mutating func next(_ name: String) async throws -> JSONValue {
            while true {
                while let end = text.range(of: "\n\n") {
                    let message = text[..<end.lowerBound]
                    text = String(text[end.upperBound...])
                    let prefix = "event: \(name)\ndata: "
                    if message.hasPrefix(prefix) { return try JSONValue.parse(message.dropFirst(prefix.count).utf8) }
                }
                let more = try #require(try await iterator.next(), "the stream ended")
                text += String(buffer: more)
            }
        }
    }

    @Test("is followed as events happen, once each, until the session ends", arguments: Engine.allCases)
    func liveEvents(engine: Engine) async throws {
        let server = try await start(on: engine)
        let browser = try await ConsoleClient.enroll(server, role: .support)
        let page = try await browser.get("/console/events")
        let path = try #require(page.html.firstMatch(of: /data-live="([^"]*)"/).map { String($0.1) })
        var stream = try await Stream(server, browser, path)
        let hostile = "<img src=x>\n\nevent: end\ndata: {}"
        for name in ["first", "second"] {
            // Events of one moment have no order by which a new one is known.
            server.clock.advance(by: .seconds(1))
            let body: JSONValue = ["localId": .string(name), "displayName": .string(hostile)]
            #expect(try await server.admin("accounts", body).status == 200)
            let row = try await stream.next("row")
            #expect(row["cells"]?[2]?["text"]?.string == name)
            #expect(row["cells"]?[2]?["path"]?.string == "/console/users/\(name)")
            #expect(row["cells"]?[3]?["text"] == "admin.token")
        }
        #expect(try await browser.post("/console/sign-out", []).status == 303)
        #expect(try await stream.next("end")["reason"]?.string?.isEmpty == false)
    }

    @Test("has a bounded number of followers")
    func followers() async throws {
        let server = try await start()
        let browser = try await ConsoleClient.enroll(server, role: .viewer)
        var open: [Stream] = []
        for _ in 0..<4 { open.append(try await Stream(server, browser, "/console/events/stream?after=-")) }
        for index in open.indices { _ = try await open[index].next("row") }
        var fifth = try await Stream(server, browser, "/console/events/stream?after=-")
        #expect(try await fifth.next("end")["reason"]?.string?.contains("Too much") == true)
        #expect(try await server.client.get("/console/events/stream").status == 303)
    }
}
