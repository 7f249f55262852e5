import Accounts
import Foundation
import Messaging
import Project
import Storage
import TestKit
import Testing

@testable import Console
@testable import Server

@Suite("Attacks on the console", .timeLimit(.minutes(15)))
struct ConsoleSecurityTests {
    private static let actions: [(path: String, fields: [(String, String)])] = [
        ("/console/operators", [("do", "invite"), ("email", "evil@example.com"), ("role", "owner")]),
        ("/console/keys", [("do", "rotate"), ("confirmed", "yes")]),
        ("/console/users/new", [("id", "planted")]),
        ("/console/users/ada", [("do", "claims"), ("claims", #"{"admin":true}"#)]),
        ("/console/exports", [("hashes", "yes"), ("format", "postern"), ("confirmed", "yes")]),
        ("/console/imports", [("file", "localId\neve"), ("format", "csv"), ("run", "yes")]),
        ("/console/backups", [("do", "make")]),
        ("/console/tenants", [("do", "create"), ("name", "planted")]),
        ("/console/imports/upload", [("begin", "1")]),
    ]

    @Test("a form that arrives byte by byte counts for who the operator is when it is whole", arguments: actions.indices)
    func slowForms(action: Int) async throws {
        let (path, fields) = Self.actions[action]
        try await TestServer.running(environment: ConsoleClient.environment) { server in
            let owner = try await ConsoleClient.enroll(server)
            let other = try await ConsoleClient.enroll(server, email: "other@example.com")
            #expect(try await server.admin("accounts", ["localId": "ada"]).status == 200)
            let token = try #require(try await other.get("/console/users/new").field("csrf"))
            let body = TestClient.encode([("csrf", token)] + fields)
            let head = [
                "POST \(path) HTTP/1.1", "Host: 127.0.0.1:\(server.port)", "Origin: \(server.client.base)",
                "Sec-Fetch-Site: same-origin", "Content-Type: application/x-www-form-urlencoded", "X-Console-Form: \(token)",
                "Cookie: __Host-postern-console=\(try #require(other.cookie))", "Content-Length: \(body.utf8.count)",
                "Connection: close",
            ]
            let connection = try await RawConnection(port: server.port)
            try await connection.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body.prefix(10))
            try await Task.sleep(for: .milliseconds(300))
            let directory = server.core.useCases.console.directory
            let found = try #require(try await directory.all().first { $0.email == other.email })
            try await directory.remove(found.operatorID, actor: "cli")
            try await connection.send(String(body.dropFirst(10)))
            let answer = await connection.waitForEnd()
            #expect(answer.contains("303 See Other") && answer.contains("/console/sign-in"), "\(answer.prefix(300))")
            let planted = try await server.core.database.read {
                try $0.account(Scope(projectID: "demo-test"), localID: "planted")
            }
            #expect(planted == nil)
            #expect(try await directory.all().map(\.email) == [owner.email])
            #expect(try await !owner.get("/console/operators").html.contains("evil@example.com"))
        }
    }

    @Test("who manages operators is looked at again within the change", arguments: TestServer.Engine.allCases)
    func staleOwner(engine: TestServer.Engine) async throws {
        try await TestServer.running(environment: ConsoleClient.environment, on: engine) { server in
            _ = try await ConsoleClient.enroll(server)
            let other = try await ConsoleClient.enroll(server, email: "other@example.com")
            let console = server.core.useCases.console
            let stale = try await other.person()
            let victim = try #require(try await console.directory.all().first { $0.email == "owner@example.com" })
            try await console.directory.remove(stale.operatorID, actor: "cli")
            await #expect(throws: OperatorError.signedOut) {
                _ = try await console.invitations.invite(
                    "evil@example.com",
                    role: .owner,
                    tenantID: nil,
                    delivery: .init(prefersLink: true, language: .english) { $0 },
                    by: stale
                )
            }
            await #expect(throws: OperatorError.signedOut) {
                try await console.directory.remove(victim.operatorID, by: stale)
            }
            await #expect(throws: OperatorError.signedOut) {
                try await console.directory.change(victim.operatorID, to: .viewer, tenantID: nil, by: stale)
            }
            await #expect(throws: OperatorError.signedOut) {
                try await console.sessions.end(nil, of: victim.operatorID, by: stale)
            }
        }
    }

    @Test("an answer that takes long ends with its operator's session, and leaves room when its client has gone")
    func leases() async throws {
        try await TestServer.running(environment: ConsoleClient.environment) { server in
            let browser = try await ConsoleClient.enroll(server)
            let sessions = server.core.useCases.console.sessions
            let person = try await browser.person()
            let load = ConsoleLoad(isLive: sessions.isLive)
            for _ in 0..<10 { _ = try load.lease(.download, for: person) }
            try ConsoleLoad.Lease.check(.seconds(29))
            #expect(throws: ConsoleFailure.tooMuchAtOnce) { try ConsoleLoad.Lease.check(.seconds(30)) }
            let held = [try load.lease(.download, for: person), try load.lease(.download, for: person)]
            #expect(throws: ConsoleFailure.tooMuchAtOnce) { try load.lease(.download, for: person) }
            try await held[0].check()
            try await sessions.signOut(person)
            await #expect(throws: OperatorError.signedOut) {
                for _ in 0..<100 {
                    try await held[0].check()
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
        }
    }

    @Test("an administrator of a tenant does not delete the tenant, nor reaches what is the project's")
    func tenantDeletion() async throws {
        try await TestServer.running(environment: ConsoleClient.environment) { server in
            let browser = try await ConsoleClient.enroll(server, role: .administrator, tenantID: "acme")
            _ = try await browser.get("/console/users")
            let fields = [("do", "delete"), ("id", "acme"), ("tenant", "acme"), ("confirmed", "yes")]
            #expect(try await browser.post("/console/tenants", fields).status == 403)
            for path in ["tenants", "domains", "templates", "backups", "operators", "audit/export"] {
                #expect(try await browser.get("/console/\(path)?tenant=acme").status == 403, "\(path)")
            }
        }
    }

    @Test("strangers who try keep no operator of their network out")
    func lockOut() async throws {
        try await TestServer.running(environment: ConsoleClient.environment) { server in
            let owner = try await ConsoleClient.enroll(server)
            server.clock.advance(by: .seconds(30))
            #expect(try await owner.signIn().status == 303)
            let headers = [("Content-Type", "application/x-www-form-urlencoded")] + ConsoleClient.ownHeaders(server)
            for number in 0..<70 {
                let passkey = Data(TestClient.encode([("way", "passkey"), ("response", "{}")]).utf8)
                _ = try await server.client.send("POST", "/console/sign-in", headers: headers, body: passkey)
                let wrong = [("way", "password"), ("email", "no\(number)@example.com"), ("password", "x"), ("code", "1")]
                let body = Data(TestClient.encode(wrong).utf8)
                _ = try await server.client.send("POST", "/console/sign-in", headers: headers, body: body)
            }
            server.clock.advance(by: .seconds(30))
            #expect(try await owner.signIn().status == 303)
            try await owner.confirm()
        }
    }

    @Test("strangers in an operator's own network delay a sign-in by password, and no proof of a session that is open")
    func sharedNetwork() async throws {
        try await TestServer.running(environment: ConsoleClient.environment) { server in
            let owner = try await ConsoleClient.enroll(server)
            server.clock.advance(by: .seconds(30))
            #expect(try await owner.signIn().status == 303)
            let headers = [("Content-Type", "application/x-www-form-urlencoded")] + ConsoleClient.ownHeaders(server)
            let wrong = [("way", "password"), ("email", owner.email), ("password", "x"), ("code", "1")]
            for _ in 0..<12 {
                let body = Data(TestClient.encode(wrong).utf8)
                _ = try await server.client.send("POST", "/console/sign-in", headers: headers, body: body)
            }
            try await owner.confirm()
            // Who has the cookie and not the password is slowed down, too, and this session alone.
            func guess() async throws -> String {
                let fields = [("way", "password"), ("password", "x"), ("code", "1")]
                return try await owner.post("/console/confirm", fields).html
            }
            for _ in 0..<5 { #expect(try await guess().contains("Address, password or code are wrong.")) }
            #expect(try await guess().contains("Too many attempts."))
            server.clock.advance(by: .seconds(3600))
            let session = owner.cookie
            #expect(try await owner.signIn().status == 303)
            #expect(owner.cookie != session)
            try await owner.confirm()
        }
    }

    @Test("operators who only read leave room for the others")
    func roomForOwners() async throws {
        try await TestServer.running(environment: ConsoleClient.environment) { server in
            let sessions = server.core.useCases.console.sessions
            func person(_ role: OperatorRole, _ email: String) async throws -> ConsoleOperator {
                let browser = try await ConsoleClient.enroll(server, role: role, email: email)
                return try await browser.person()
            }
            let owner = try await person(.owner, "owner@example.com")
            let readers = [try await person(.viewer, "v@example.com"), try await person(.support, "s@example.com")]
            for kind in ConsoleLoad.Kind.allCases {
                let load = ConsoleLoad(isLive: sessions.isLive)
                var held: [ConsoleLoad.Lease] = []
                for reader in readers {
                    for _ in 0..<kind.ofOne { if let lease = try? load.lease(kind, for: reader) { held.append(lease) } }
                }
                #expect(held.count == min(kind.ofOne * readers.count, kind.ofReaders), "\(kind)")
                for _ in 0..<kind.ofOne where held.count < kind.ofAll { held.append(try load.lease(kind, for: owner)) }
                held = []
                for _ in 0..<kind.ofOne { held.append(try load.lease(kind, for: owner)) }
                #expect(throws: ConsoleFailure.tooMuchAtOnce, "\(kind)") { try load.lease(kind, for: owner) }
            }
        }
    }

    @Test("a form or query that cannot be read whole changes nothing, and U+0000 is no fault of the store")
    func unstorableTexts() async throws {
        try await TestServer.running(environment: ConsoleClient.environment) { server in
            let browser = try await ConsoleClient.enroll(server)
            let body: JSONValue = ["localId": "ada", "displayName": "Ada", "customAttributes": #"{"a":1}"#]
            #expect(try await server.admin("accounts:update", body).status == 400)
            #expect(try await server.admin("accounts", ["localId": "ada", "displayName": "Ada"]).status == 200)
            let claims: JSONValue = ["localId": "ada", "customAttributes": #"{"a":1}"#]
            #expect(try await server.admin("accounts:update", claims).status == 200)
            _ = try await browser.get("/console/users/ada")
            let marks = "a" + String(repeating: "\u{301}", count: 4000)
            let many = (0..<1100).map { ("x\($0)", "1") }
            for bad in [[("claims", marks)], [("claims", "\u{0}")], many + [("claims", "{}")], []] {
                let page = try await browser.post("/console/users/ada", [("do", "claims")] + bad)
                #expect(page.status == 400 || page.status == 405)
            }
            #expect(try await browser.post("/console/users/ada", [("do", "profile"), ("name", marks)]).status == 400)
            // A form without a field leaves it as it is.
            #expect(try await browser.post("/console/users/ada", [("do", "profile")]).status == 303)
            let html = try await browser.get("/console/users/ada").html
            #expect(html.contains("Ada") && html.contains("&quot;a&quot;"))
            for path in ["users/%00", "audit?event=%00", "users?tenant=%00", "diagnosis?user=%00", "audit?after=%00"] {
                let status = try await browser.get("/console/\(path)").status
                #expect(status == 400 || status == 404, "\(path)")
            }
        }
    }

    @Test("support takes over no user who holds rights, and proves a factor before it changes a way in")
    func support() async throws {
        try await TestServer.running(environment: ConsoleClient.environment) { server in
            _ = try await ConsoleClient.enroll(server)
            let support = try await ConsoleClient.enroll(server, role: .support)
            for user in ["ada", "root"] { #expect(try await server.admin("accounts", ["localId": .string(user)]).status == 200) }
            let claims: JSONValue = ["localId": "root", "customAttributes": #"{"admin":true}"#]
            #expect(try await server.admin("accounts:update", claims).status == 200)
            let changes: [[(String, String)]] = [
                [("do", "profile"), ("email", "attacker@example.com"), ("verified", "yes")],
                [("do", "claims"), ("claims", "{}")],
                [("do", "removeFactors"), ("confirmed", "yes")], [("do", "unlink"), ("id", "google.com"), ("confirmed", "yes")],
            ]
            _ = try await support.get("/console/users/ada")
            for change in changes { #expect(try await support.post("/console/users/root", change).status == 403) }
            server.clock.advance(by: .seconds(301))
            for change in changes {
                let page = try await support.post("/console/users/ada", change)
                #expect(page.location?.hasPrefix("/console/confirm") == true, "\(change)")
            }
        }
    }
}
