import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing
import Tokens

@testable import Server

@Suite("Operation in the console", .teardown, .timeLimit(.minutes(15)))
struct ConsoleOperationTests {
    @Test("a backup is made, checked, downloaded by owners and removed")
    func backups() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let owner = try await ConsoleClient.enroll(server)
        let empty = try await owner.get("/console/backups").html
        #expect(empty.contains("There are no backups.") && empty.contains("backup.recipient names no key"))
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

    @Test("with a recipient, a backup opens with the recipient's key alone")
    func encryptedBackups() async throws {
        let identity = BackupSeal.Identity()
        let environment = ["POSTERN_BACKUP_RECIPIENT": identity.recipient.text]
        let server = try await TestServer.start(environment: ConsoleClient.environment.merging(environment) { $1 })
        let owner = try await ConsoleClient.enroll(server)
        #expect(try await owner.get("/console/backups").html.contains(identity.recipient.text))
        #expect(try await owner.post("/console/backups", [("do", "make")]).location == "/console/backups?done=made")
        let page = try await owner.get("/console/backups")
        let name = try #require(page.html.firstMatch(of: /postern-[0-9]{8}T[0-9]{6}Z\.sqlite\.sealed/).map { String($0.0) })
        // Without the key, nobody checks it.
        #expect(!page.html.contains("value=\"verify\""))
        let directory = try #require(page.html.firstMatch(of: /<code dir="ltr">(\/[^<]*\/backups)</).map { String($0.1) })
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [name])
        let download = [("do", "download"), ("name", name), ("confirmed", "yes")]
        let file = Data(try await owner.post("/console/backups", download).answer.bytes)
        #expect(file.range(of: Data("SQLite format 3".utf8)) == nil)
        let (sealed, plain) = ("\(directory)/downloaded", "\(directory)/plain")
        try file.write(to: URL(filePath: sealed))
        #expect(FileManager.default.createFile(atPath: plain, contents: nil))
        let source = try FileHandle(forReadingFrom: URL(filePath: sealed))
        let target = try FileHandle(forWritingTo: URL(filePath: plain))
        #expect(throws: BackupSeal.Failure.self) {
            try BackupSeal.open(source, to: target, with: BackupSeal.Identity())
        }
        try BackupSeal.open(source, to: target, with: identity)
        try await SQLiteBackup.verify(plain)
    }

    @Test("with PostgreSQL it is said what to do")
    func postgreSQL() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment, on: .postgreSQL)
        let owner = try await ConsoleClient.enroll(server)
        #expect(try await owner.get("/console/backups").html.contains("pg_basebackup"))
        #expect(try await owner.post("/console/backups", [("do", "make")]).status == 400)
    }

    @Test("development shows mails and codes to administrators, and production does not")
    func development() async throws {
        do {
            let server = try await TestServer.start(mode: .development, environment: ConsoleClient.environment)
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
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let browser = try await ConsoleClient.enroll(server)
        let page = try await browser.get("/console/development")
        #expect(page.status == 404)
        #expect(try await browser.post("/console/development", [("do", "clear"), ("confirmed", "yes")]).status == 404)
        #expect(!page.html.contains("href=\"/console/development\""))
    }
}
