import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Accounts
@testable import Server

@Suite("Two operators in the console", .timeLimit(.minutes(15)))
struct ConsoleApprovalTests {
    private static let environment = ConsoleClient.environment.merging(["POSTERN_CONSOLE_APPROVALS": "true"]) { $1 }
    private static let asked = "/console/approvals?done=approvalRequested"

    private func decide(_ action: String, _ page: ConsoleClient.Page, _ browser: ConsoleClient) async throws -> ConsoleClient.Page
    {
        let id = try #require(page.html.firstMatch(of: /name="id" value="([^"]+)"/).map { String($0.1) })
        return try await browser.post("/console/approvals", [("do", action), ("id", id)])
    }

    @Test("users are deleted in bulk once another operator has agreed to just that", arguments: TestServer.Engine.allCases)
    func deletion(engine: TestServer.Engine) async throws {
        try await TestServer.running(environment: Self.environment, on: engine) { server in
            let owner = try await ConsoleClient.enroll(server)
            let administrator = try await ConsoleClient.enroll(server, role: .administrator)
            server.clock.advance(by: .seconds(1))
            for user in ["ada", "bob", "eve"] {
                #expect(try await server.admin("accounts", ["localId": .string(user)]).status == 200)
            }
            func delete(_ users: String...) async throws -> ConsoleClient.Page {
                _ = try await owner.get("/console/users")
                return try await owner.post(
                    "/console/users",
                    [("do", "delete"), ("confirmed", "yes")] + users.map { ("user", $0) }
                )
            }
            #expect(try await delete("eve").location == "/console/users?done=deleted")
            #expect(try await delete("ada", "bob").location == Self.asked)
            let own = try await owner.get("/console/approvals")
            #expect(own.html.contains("ada, bob") && own.html.contains("Waits"))
            #expect(try await decide("approve", own, owner).status == 400)
            #expect(try await delete("ada", "bob").location == Self.asked)

            _ = try await administrator.get("/console/approvals")
            let page = try await administrator.get("/console/approvals")
            #expect(try await decide("approve", page, administrator).status == 303)
            // Consent is not for other users, and only for one use.
            #expect(try await delete("ada", "nobody").location == Self.asked)
            #expect(try await delete("ada", "bob").location == "/console/users?done=deleted")
            #expect(try await delete("ada", "bob").location == Self.asked)
            let trail = try await server.auditTrail().map { "\($0[0]) \($0[1])" }
            #expect(trail.contains("approvalGiven operator:administrator@example.com"))
            #expect(trail.contains("approvalUsed operator:owner@example.com"))
        }
    }

    @Test("keys, exports with hashes and backups wait for consent, and a whole search with its count")
    func otherActions() async throws {
        try await TestServer.running(environment: Self.environment) { server in
            let owner = try await ConsoleClient.enroll(server)
            #expect(try await server.admin("accounts", ["localId": "ada"]).status == 200)
            let yes = [("confirmed", "yes")]
            _ = try await owner.get("/console/keys")
            #expect(try await owner.post("/console/keys", [("do", "rotate")] + yes).location == Self.asked)
            let export = [("hashes", "yes"), ("format", "postern")] + yes
            #expect(try await owner.post("/console/exports", export).location == Self.asked)
            #expect(try await owner.post("/console/backups", [("do", "make")]).status == 303)
            let name = try await owner.get("/console/backups").html.firstMatch(of: /postern-[0-9]{8}T[0-9]{6}Z\.sqlite/)
            let download = [("do", "download"), ("name", String(try #require(name).0))] + yes
            #expect(try await owner.post("/console/backups", download).location == Self.asked)

            let dry = try await owner.post("/console/users/bulk", [("action", "delete")])
            let progress = try #require(dry.field("progress"))
            #expect(try await owner.post("/console/users/bulk", [("progress", progress)] + yes).location == Self.asked)
            let page = try await owner.get("/console/approvals")
            #expect(page.html.contains("count: 1"))
        }
    }

    @Test("a tenant goes with its users, and users are replaced by an import, once another operator has agreed to just that")
    func otherDeletions() async throws {
        try await TestServer.running(environment: Self.environment) { server in
            let owner = try await ConsoleClient.enroll(server)
            let administrator = try await ConsoleClient.enroll(server, role: .administrator)
            server.clock.advance(by: .seconds(1))
            let made = try await server.admin("POST", "/tenants", ["displayName": "alpha"])
            let tenant = String(try #require(made["name"]?.string?.split(separator: "/").last))
            func agree() async throws {
                let page = try await administrator.get("/console/approvals")
                #expect(try await decide("approve", page, administrator).status == 303)
            }
            _ = try await owner.get("/console/tenants")
            let delete = [("do", "delete"), ("id", tenant), ("confirmed", "yes")]
            #expect(try await owner.post("/console/tenants", delete).location == Self.asked)
            try await agree()
            #expect(try await owner.post("/console/tenants", delete).location == "/console/tenants?done=deleted")

            func replace(_ name: String, _ more: [(String, String)] = [("overwrite", "on")]) async throws -> ConsoleClient.Page {
                let file: JSONValue = ["users": [["localId": "ada", "displayName": .string(name)]]]
                return try await owner.post("/console/imports", [("format", "json"), ("users", file.text)] + more)
            }
            #expect(try await replace("first", []).html.contains("1 rows: 1 imported"), "nobody is replaced")
            #expect(try await replace("second", [("overwrite", "on"), ("dryRun", "on")]).status == 200)
            #expect(try await replace("second").location == Self.asked)
            try await agree()
            #expect(try await replace("third").location == Self.asked, "consent is for one file")
            #expect(try await replace("second").html.contains("1 rows: 1 imported"))
            #expect(try await replace("second").location == Self.asked)
            // Parameters of hashes have keys.
            let hashes = "algorithm: HMAC_SHA256\nbase64_signer_key: c2VjcmV0LWtleQ=="
            #expect(try await replace("second", [("overwrite", "on"), ("hashes", hashes)]).location == Self.asked)
            let page = try await administrator.get("/console/approvals").html
            #expect(page.contains("hashes: \(hexadecimal(sha256(hashes.utf8)))") && !page.contains("c2VjcmV0LWtleQ"))
        }
    }

    @Test("what is agreed to cannot look like something else, is no longer than a page, and is checked before")
    func texts() async throws {
        try await TestServer.running(environment: Self.environment) { server in
            let owner = try await ConsoleClient.enroll(server)
            _ = try await owner.get("/console/service-accounts")
            let huge = String(repeating: "n", count: 200_000)
            let token = [("do", "createToken"), ("read", "on")]
            for fields in [
                token + [("name", "x; read: on; days: 1"), ("days", "1")], token + [("name", huge), ("days", "1")],
                token + [("name", "ci"), ("days", huge)], token + [("name", "ci"), ("days", "0")],
                [("do", "createToken"), ("name", "ci"), ("days", "1")], [("do", "createAccount"), ("name", huge)],
            ] {
                #expect(try await owner.post("/console/service-accounts", fields).status == 400)
            }
            let yes = [("confirmed", "yes")]
            let download = [("do", "download"), ("name", huge)] + yes
            #expect(try await owner.post("/console/backups", download).status == 400)
            #expect(try await owner.post("/console/exports", [("hashes", "on"), ("format", huge)] + yes).status == 405)
            #expect(try await owner.post("/console/keys", [("do", "revoke"), ("kid", huge)] + yes).status == 400)
            #expect(try await owner.post("/console/keys", [("do", huge)] + yes).status == 405)
            #expect(try await owner.get("/console/approvals").html.contains("Nobody asks for anything."))

            // Any text that stays is on one line with its name, and cut.
            let odd = [("name", "ci"), ("days", "30"), ("users", "on; config: on\u{2028}days: 1"), ("config", huge)]
            #expect(try await owner.post("/console/service-accounts", token + odd).location == Self.asked)
            let spoof = "ada\u{2028}count: 1; \(huge)"
            let users = [("do", "delete"), ("user", "eve"), ("user", spoof)] + yes
            _ = try await owner.get("/console/users")
            #expect(try await owner.post("/console/users", users).location == Self.asked)
            let page = try await owner.get("/console/approvals").html
            for line in ["do: createToken", "name: ci", "read: on", "users: on", "config: on", "days: 30"] {
                #expect(page.contains("<bdi>\(line)</bdi>"), "\(line)")
            }
            #expect(page.contains("ada\\u{2028}count: 1;") && page.contains("SHA-256") && page.utf8.count < 60_000)
        }
    }

    @Test("who may agree is changed with consent, so that nobody makes a second self", arguments: TestServer.Engine.allCases)
    func operators(engine: TestServer.Engine) async throws {
        try await TestServer.running(environment: Self.environment, on: engine) { server in
            let owner = try await ConsoleClient.enroll(server)
            func invite(_ email: String, _ role: OperatorRole) async throws -> ConsoleClient.Page {
                _ = try await owner.get("/console/operators")
                let fields = [("do", "invite"), ("email", email), ("role", role.rawValue), ("onlyTenant", "")]
                return try await owner.post("/console/operators", fields)
            }
            // Nobody could agree yet. Then there is an invitation of one who could.
            #expect(try await invite("first@example.com", .administrator).status == 200)
            #expect(try await invite("second@example.com", .administrator).location == Self.asked)
            let administrator = try await ConsoleClient.enroll(server, role: .administrator)
            let viewer = try await ConsoleClient.enroll(server, role: .viewer)
            server.clock.advance(by: .seconds(1))

            #expect(try await invite("other@example.com", .viewer).status == 200)
            #expect(try await invite("self@example.com", .owner).location == Self.asked)
            // An operator who is invited again gets new factors and keeps the role.
            #expect(try await invite(administrator.email, .viewer).location == Self.asked)
            let directory = server.core.useCases.console.directory
            func change(_ email: String, _ fields: [(String, String)]) async throws -> String? {
                let id = try #require(try await directory.all().first { $0.email == email }).operatorID
                _ = try await owner.get("/console/operators/\(id)")
                return try await owner.post("/console/operators/\(id)", fields + [("confirmed", "yes")]).location
            }
            let promotion = [("way", "role"), ("role", "administrator"), ("onlyTenant", "")]
            #expect(try await change(viewer.email, promotion) == Self.asked)
            let demotion = [("way", "role"), ("role", "viewer"), ("onlyTenant", "")]
            #expect(try await change(administrator.email, demotion) == Self.asked)
            #expect(try await change(administrator.email, [("way", "remove")]) == Self.asked)
            #expect(try await change(viewer.email, [("way", "remove")]) == "/console/operators?done=deleted")

            let page = try await administrator.get("/console/approvals")
            #expect(page.html.contains("self@example.com") && page.html.contains("role: owner"))
            for part in ["do: newFactors", "email: \(administrator.email)", "from: administrator"] {
                #expect(page.html.contains("<bdi>\(part)</bdi>"), "\(part)")
            }
            let row = try #require(page.html.firstMatch(of: /self@example\.com.*?name="id" value="([^"]+)"/.dotMatchesNewlines()))
            let approval = [("do", "approve"), ("id", String(row.1))]
            #expect(try await administrator.post("/console/approvals", approval).status == 303)
            // Consent is for that address and role.
            #expect(try await invite("self2@example.com", .owner).location == Self.asked)
            #expect(try await invite("self@example.com", .owner).status == 200)
            #expect(try await invite("self@example.com", .owner).location == Self.asked)
        }
    }

    @Test("consent to a change is for the operator as it was, and is looked at again within the change")
    func changedMeanwhile() async throws {
        try await TestServer.running(environment: Self.environment) { server in
            let owner = try await ConsoleClient.enroll(server)
            _ = try await ConsoleClient.enroll(server, role: .administrator)
            let viewer = try await ConsoleClient.enroll(server, role: .viewer)
            let console = server.core.useCases.console
            let person = try await owner.person()
            let record = try #require(try await console.directory.all().first { $0.email == viewer.email })
            let approvals = console.approvals
            // Nothing is needed for a viewer who stays one.
            let consent = try await approvals.requireToManage([], record, becoming: .viewer, by: person)
            var promoted = record
            promoted.role = OperatorRole.administrator.rawValue
            let changed = promoted
            try await server.core.database.read { transaction in
                try approvals.check(consent, record, in: transaction)
                #expect(throws: OperatorError.needsApproval) { try approvals.check(consent, changed, in: transaction) }
            }
        }
    }

    @Test("credentials for programs, which know nothing of consent, need it themselves")
    func credentials() async throws {
        try await TestServer.running(environment: Self.environment) { server in
            let administrator = try await ConsoleClient.enroll(server, role: .administrator)
            _ = try await administrator.get("/console/service-accounts")
            for fields in [
                [("do", "createAccount"), ("name", "backend")],
                [("do", "createToken"), ("name", "all"), ("users", "on"), ("config", "on"), ("days", "1")],
            ] {
                #expect(try await administrator.post("/console/service-accounts", fields).location == Self.asked)
            }
            let page = try await administrator.get("/console/approvals")
            for part in ["name: all", "users: on", "config: on", "days: 1"] {
                #expect(page.html.contains("<bdi>\(part)</bdi>"), "\(part)")
            }
        }
    }

    @Test("consent ends with time and with the operator who gave it, and no second self is made to give it")
    func ends() async throws {
        try await TestServer.running(environment: Self.environment) { server in
            let owner = try await ConsoleClient.enroll(server)
            let administrator = try await ConsoleClient.enroll(server, role: .administrator)
            let rotate = [("do", "rotate"), ("confirmed", "yes")]
            server.clock.advance(by: .seconds(1))
            _ = try await owner.get("/console/keys")
            #expect(try await owner.post("/console/keys", rotate).location == Self.asked)
            let late = try await ConsoleClient.enroll(server, role: .administrator, email: "late@example.com")
            #expect(try await decide("approve", late.get("/console/approvals"), late).status == 400)
            let support = try await ConsoleClient.enroll(server, role: .support)
            #expect(try await support.get("/console/approvals").status == 403)
            let elsewhere = try await ConsoleClient.enroll(
                server,
                role: .administrator,
                tenantID: "acme",
                email: "acme@example.com"
            )
            #expect(try await !elsewhere.get("/console/approvals").html.contains("do: rotate"))

            #expect(try await decide("approve", administrator.get("/console/approvals"), administrator).status == 303)
            // Consent ends after half an hour; the sessions go on.
            for _ in 0..<2 {
                server.clock.advance(by: .seconds(901))
                for browser in [owner, administrator] { _ = try await browser.get("/console") }
            }
            try await owner.confirm()
            #expect(try await owner.post("/console/keys", rotate).location == Self.asked)
            try await administrator.confirm()
            #expect(try await decide("approve", administrator.get("/console/approvals"), administrator).status == 303)
            let directory = server.core.useCases.console.directory
            let given = try #require(try await directory.all().first { $0.email == administrator.email })
            try await directory.remove(given.operatorID, actor: "cli")
            #expect(try await owner.post("/console/keys", rotate).location == Self.asked)
        }
    }
}
