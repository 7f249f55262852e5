import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Passwords
@testable import Server

@Suite("What imports in the console do not do to others", .teardown, .timeLimit(.minutes(15)))
struct ConsoleImportThreatTests {
    private func dryRun(_ users: [JSONValue], by browser: ConsoleClient) async throws -> ConsoleClient.Page {
        let file: JSONValue = ["users": .array(users)]
        return try await browser.post("/console/imports", [("format", "json"), ("users", file.text), ("dryRun", "on")])
    }

    @Test("who does not see whole phone numbers imports none, and so learns from no report which one exists")
    func numbers() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let owner: JSONValue = ["localId": "p", "email": "p@example.com", "phoneNumber": "+15555550123"]
        #expect(try await server.admin("accounts", owner).status == 200)
        let support = try await ConsoleClient.enroll(server, role: .support)
        let administrator = try await ConsoleClient.enroll(server, role: .administrator)
        for browser in [support, administrator] { _ = try await browser.get("/console/imports") }
        let factor: JSONValue = ["mfaEnrollmentId": "f", "phoneInfo": "+15555550123", "enrolledAt": "2026-01-01T00:00:00Z"]
        for number in ["+15555550123", "+15555550124"] {
            let phone: JSONValue = ["phoneNumber": .string(number)]
            for user in ["x", "p"] {
                let rows = [
                    phone, owner.merging(phone), ["email": "x@example.com", "mfaInfo": [factor]],
                    ["providerUserInfo": [phone.merging(["providerId": "phone", "rawId": .string(number)])]],
                ].map { $0.merging(["localId": .string(user)]) }
                for row in rows {
                    let file: JSONValue = ["users": [row]]
                    let page = try await support.post("/console/imports", [("format", "json"), ("users", file.text)])
                    #expect(page.html.contains("rows with phone numbers"), "\(row.text)")
                    #expect(try await dryRun([row], by: support).html.contains("rows with phone numbers"), "\(row.text)")
                }
            }
        }
        let guess: [JSONValue] = [["localId": "x", "phoneNumber": "+15555550123"]]
        #expect(try await dryRun(guess, by: administrator).html.contains("phone number exists in other account"))
    }

    @Test("hashes that take longer than those of common servers come with an administrator of the whole project only")
    func costlyHashes() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let tenant = try await server.admin("POST", "/tenants", ["displayName": "alpha", "allowPasswordSignup": true])
        let name = try #require(tenant["name"]?.string?.split(separator: "/").last)
        let support = try await ConsoleClient.enroll(server, role: .support)
        let inTenant = try await ConsoleClient.enroll(
            server,
            role: .administrator,
            tenantID: String(name),
            email: "tenant@example.com"
        )
        let administrator = try await ConsoleClient.enroll(server, role: .administrator)
        func upload(_ cost: String, _ localID: String, by browser: ConsoleClient) async throws -> String {
            let hash = "$2a$\(cost)$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui"
            let row: JSONValue = [
                "localId": .string(localID), "passwordHash": .string(Data(hash.utf8).base64EncodedString()),
            ]
            let file: JSONValue = ["users": [row]]
            _ = try await browser.get("/console/imports")
            let fields = [("format", "json"), ("users", file.text), ("hashes", "algorithm: BCRYPT")]
            return try await browser.post("/console/imports", fields).html
        }
        for browser in [support, inTenant] {
            #expect(
                try await upload("15", "a", by: browser).contains("only an administrator of the whole project may import it")
            )
        }
        #expect(try await upload("15", "b", by: administrator).contains("1 rows: 1 imported"))
        let common = try await upload("14", "c", by: support)
        #expect(common.contains("1 rows: 1 imported") && common.contains("response times may reveal the account"))
        #expect(try await !upload("12", "d", by: support).contains("response times"))
    }

    @Test("a dry run hashes no plain password, and tells the same as an import")
    func plainPasswords() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let administrator = try await ConsoleClient.enroll(server, role: .administrator)
        _ = try await administrator.get("/console/imports")
        #expect(try await server.admin("accounts", ["localId": "known", "email": "known@example.com"]).status == 200)
        let rows: [JSONValue] =
            (0..<20).map { ["localId": .string("r\($0)"), "rawPassword": "secret-1"] } + [
                ["localId": "known", "email": "known@example.com", "rawPassword": "secret-1"],
                ["localId": "long", "rawPassword": .string(String(repeating: "p", count: 5000))],
            ]
        let hasher = server.core.assembly.hasher
        let before = hasher.load.defaultHashes
        let dry = try await dryRun(rows, by: administrator)
        #expect(dry.html.contains("Dry run of 22 rows: 20 would be imported, 0 had been imported before, 2 rejected."))
        #expect(dry.html.contains("can not overwrite") && dry.html.contains("rawPassword is too long"))
        #expect(hasher.load.defaultHashes == before)
        let file: JSONValue = ["users": .array(rows)]
        let done = try await administrator.post("/console/imports", [("format", "json"), ("users", file.text)])
        #expect(done.html.contains("22 rows: 20 imported, 0 had been imported before, 2 rejected."))
        #expect(hasher.load.defaultHashes >= before + 20)
        #expect(try await dryRun(rows, by: administrator).html.contains("20 had been imported before, 2 rejected."))
    }

    @Test("a file that is sent has no name on the disk, and goes with its operator's session")
    func uploads() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let browser = try await ConsoleClient.enroll(server, role: .support)
        _ = try await browser.get("/console/imports")
        let headers =
            ConsoleClient.ownHeaders(server) + [
                ("Cookie", "__Host-postern-console=\(browser.cookie ?? "")"), ("X-Console-Form", browser.formToken ?? ""),
            ]
        let mark = "postern test \(UUID().uuidString)"
        let sent = try await server.client.send(
            "POST",
            "/console/imports/upload?offset=0",
            headers: headers,
            body: Data(mark.utf8)
        )
        #expect(sent["bytes"]?.integer == Int64(mark.utf8.count))
        let directory = FileManager.default.temporaryDirectory
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(!names.contains { $0.hasPrefix("postern-upload-") || $0.hasPrefix(".postern-") })
    }

    @Test("operators who sign in have the share of one client in the hashing queue (RES-07)")
    func signIns() async throws {
        let environment = ConsoleClient.environment.merging([
            "POSTERN_SERVER_TRUSTED_PROXIES": "127.0.0.0/8", "POSTERN_PASSWORDS_WORKERS": "1",
            "POSTERN_PASSWORDS_QUEUE_LIMIT": "11",
        ]) { $1 }
        let server = try await TestServer.start(environment: environment)
        let hasher = server.core.assembly.hasher
        @Sendable func signIn(_ number: Int, from address: String) async throws -> Int {
            let fields = [("way", "password"), ("email", "o\(number)@example.com"), ("password", "x"), ("code", "1")]
            let headers =
                ConsoleClient.ownHeaders(server) + [
                    ("Content-Type", "application/x-www-form-urlencoded"), ("X-Forwarded-For", address),
                ]
            let body = Data(TestClient.encode(fields).utf8)
            return try await server.client.send("POST", "/console/sign-in", headers: headers, body: body).status
        }
        let mayGoOn = DispatchSemaphore(value: 0)
        async let held: Void = hasher.pool.run(for: nil) { mayGoOn.wait() }
        defer { mayGoOn.signal() }
        try await eventually { hasher.load.running == 1 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<hasher.pool.share {
                group.addTask { _ = try await signIn(number, from: "192.0.2.1") }
            }
            try await eventually { hasher.load.waiting == hasher.pool.share }
            #expect(try await signIn(100, from: "192.0.2.1") == 503)
            group.addTask { _ = try await signIn(101, from: "192.0.2.2") }
            try await eventually { hasher.load.waiting == hasher.pool.share + 1 }
            mayGoOn.signal()
            try await group.waitForAll()
        }
        try await held
    }
}
