import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("Operation in the console", .timeLimit(.minutes(15)))
struct ConsoleOperationTests {
    @Test("a backup is made, checked, downloaded by owners and removed")
    func backups() async throws {
        try await TestServer.running(environment: ConsoleClient.environment) { server in
            let owner = try await ConsoleClient.enroll(server)
            #expect(try await owner.get("/console/backups").html.contains("There are no backups."))
            #expect(try await owner.post("/console/backups", [("do", "make")]).location == "/console/backups?done=made")
            let page = try await owner.get("/console/backups")
            let name = try #require(page.html.firstMatch(of: /postern-[0-9]{8}T[0-9]{6}Z\.sqlite/).map { String($0.0) })
            let named = [("name", name)]
            let verified = try await owner.post("/console/backups", [("do", "verify")] + named)
            #expect(verified.location == "/console/backups?done=verified")
            let confirmed = named + [("confirmed", "yes")]
            let file = try await owner.post("/console/backups", [("do", "download")] + confirmed)
            #expect(file.answer.bytes.starts(with: Array("SQLite format 3\0".utf8)))
            #expect(file.answer.header("Content-Length") == "\(file.answer.bytes.count)")

            let administrator = try await ConsoleClient.enroll(server, role: .administrator)
            #expect(try await administrator.get("/console/backups").html.contains(name))
            for action in ["download", "remove"] {
                #expect(try await administrator.post("/console/backups", [("do", action)] + confirmed).status == 403)
            }
            let support = try await ConsoleClient.enroll(server, role: .support)
            #expect(try await support.get("/console/backups").status == 403)
            let tenants = try await ConsoleClient.enroll(server, role: .administrator, tenantID: "acme", email: "t@example.com")
            #expect(try await tenants.get("/console/backups").status == 403)

            for name in ["../postern.sqlite", "/etc/passwd", "postern-20250101T000000Z.sqlite", ""] {
                let fields = [("do", "download"), ("name", name), ("confirmed", "yes")]
                #expect(try await owner.post("/console/backups", fields).status == 400, "\(name)")
            }
            let directory = try #require(page.html.firstMatch(of: /<code dir="ltr">(\/[^<]*\/backups)</).map { String($0.1) })
            try Data("no database".utf8).write(to: URL(fileURLWithPath: "\(directory)/postern-20260102T000000Z.sqlite"))
            let damaged = try await owner.post(
                "/console/backups",
                [("do", "verify"), ("name", "postern-20260102T000000Z.sqlite")]
            )
            #expect(damaged.status == 400)
            #expect(try await owner.post("/console/backups", [("do", "remove")] + confirmed).status == 303)
            #expect(try await !owner.get("/console/backups").html.contains(name))
            let trail = try await server.auditTrail()
            for event in ["backupMade", "backupDownloaded", "backupRemoved"] {
                #expect(trail.contains([event, "operator:owner@example.com", ""]))
            }
        }
    }

    @Test("with PostgreSQL it is said what to do")
    func postgreSQL() async throws {
        try await TestServer.running(environment: ConsoleClient.environment, on: .postgreSQL) { server in
            let owner = try await ConsoleClient.enroll(server)
            #expect(try await owner.get("/console/backups").html.contains("pg_basebackup"))
            #expect(try await owner.post("/console/backups", [("do", "make")]).status == 400)
        }
    }

    @Test("development shows mails and codes to administrators, and production does not")
    func development() async throws {
        try await TestServer.running(mode: .development, environment: ConsoleClient.environment) { server in
            let browser = try await ConsoleClient.enroll(server, role: .administrator)
            _ = try await server.admin("accounts", ["localId": "m", "email": "m@example.com"])
            let sent = try await server.call("sendOobCode", ["requestType": "PASSWORD_RESET", "email": "m@example.com"])
            #expect(sent.status == 200)
            let page = try await browser.get("/console/development")
            #expect(page.html.contains("m@example.com") && page.html.contains("oobCode="))
            #expect(page.html.contains("PASSWORD_RESET"))
            let support = try await ConsoleClient.enroll(server, role: .support)
            #expect(try await support.get("/console/development").status == 403)
            let asked = try await browser.post("/console/development", [("do", "clear")])
            #expect(asked.html.contains("name=\"confirmed\""))
            let cleared = try await browser.post("/console/development", [("do", "clear"), ("confirmed", "yes")])
            #expect(cleared.status == 303)
            let scope = Scope(projectID: "demo-test")
            #expect(try await server.core.database.read { try $0.account(scope, localID: "m") } == nil)
        }
        try await TestServer.running(environment: ConsoleClient.environment) { server in
            let browser = try await ConsoleClient.enroll(server)
            let page = try await browser.get("/console/development")
            #expect(page.status == 404)
            #expect(try await browser.post("/console/development", [("do", "clear"), ("confirmed", "yes")]).status == 404)
            #expect(!page.html.contains("href=\"/console/development\""))
        }
    }
}
