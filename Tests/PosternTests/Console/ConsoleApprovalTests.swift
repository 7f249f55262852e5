import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

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
