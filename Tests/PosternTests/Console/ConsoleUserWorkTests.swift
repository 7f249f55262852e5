import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("Work on users in the console", .timeLimit(.minutes(15)))
struct ConsoleUserWorkTests {
    private static let impersonating = ConsoleClient.environment.merging(["POSTERN_CONSOLE_IMPERSONATION": "true"]) { $1 }

    private func makeUser(_ server: TestServer, _ localID: String, _ members: JSONValue = [:]) async throws {
        var body = members
        body["localId"] = .string(localID)
        let answer = try await server.admin("accounts", body)
        #expect(answer.status == 200, "\(answer.json.text)")
    }

    @Test("an operator signs in as a user, and the token and the trail say who", arguments: TestServer.Engine.allCases)
    func impersonation(engine: TestServer.Engine) async throws {
        try await TestServer.running(environment: Self.impersonating, on: engine) { server in
            let registry = CustomTokenTests.Minter.registry(of: server)
            try await makeUser(server, "ada")
            let browser = try await ConsoleClient.enroll(server, role: .administrator)
            #expect(try await browser.get("/console/users/ada").html.contains("/console/users/ada/impersonate"))
            let path = "/console/users/ada/impersonate"
            #expect(try await browser.get(path).status == 200)
            let fields = [("reason", "ticket 7"), ("confirmed", "yes")]
            #expect(try await browser.post(path, fields).html.contains("holds the key of no service account"))
            _ = try await registry.createHeld("minter", sealer: server.core.keys.sealer)
            server.clock.advance(by: .seconds(2))
            #expect(try await browser.post(path, [("reason", " "), ("confirmed", "yes")]).html.contains("A reason is needed."))
            #expect(try await browser.post(path, [("reason", "ticket 7")]).html.contains("name=\"confirmed\""))
            let page = try await browser.post(path, fields)
            let token = try #require(page.html.firstMatch(of: /<code>([\w-]+\.[\w-]+\.[\w-]+)<\/code>/).map { String($0.1) })
            let session = try await server.call("signInWithCustomToken", ["token": .string(token)])
            #expect(session.status == 200, "\(session.errorMessage ?? "")")
            let claims = try decode(try #require(session["idToken"]?.string), 1)
            #expect(claims["sub"] == "ada" && claims["act"]?["sub"] == "operator:administrator@example.com")
            let trail = try await server.auditTrail()
            #expect(trail.contains(["impersonation", "operator:administrator@example.com", "ada"]))
            server.clock.advance(by: .seconds(301))
            #expect(try await browser.post(path, fields).location?.hasPrefix("/console/confirm") == true)
        }
    }

    @Test("nobody signs in as a protected user, an operator or a disabled user, nor without the role or the setting")
    func protectedUsers() async throws {
        try await TestServer.running(environment: Self.impersonating) { server in
            let registry = CustomTokenTests.Minter.registry(of: server)
            _ = try await registry.createHeld("minter", sealer: server.core.keys.sealer)
            try await makeUser(server, "root")
            try await makeUser(server, "former")
            for (user, claims) in [("root", "{\"admin\": 1}"), ("former", "{\"admin\": false}")] {
                let body: JSONValue = ["localId": .string(user), "customAttributes": .string(claims)]
                #expect(try await server.admin("accounts:update", body).status == 200)
            }
            try await makeUser(server, "colleague", ["email": "Owner@example.com"])
            try await makeUser(server, "disabled", ["disabled": true])
            let browser = try await ConsoleClient.enroll(server)
            let fields = [("reason", "ticket 7"), ("confirmed", "yes")]
            for user in ["root", "colleague", "disabled", "nobody"] {
                _ = try await browser.get("/console/users/\(user)/impersonate")
                #expect(try await browser.post("/console/users/\(user)/impersonate", fields).status == 400, "\(user)")
            }
            #expect(try await browser.post("/console/users/former/impersonate", fields).status == 200)
            #expect(try await server.auditTrail().count { $0[0] == "impersonation" } == 1)
            let support = try await ConsoleClient.enroll(server, role: .support)
            #expect(try await support.get("/console/users/former/impersonate").status == 403)
            _ = try await support.get("/console")
            #expect(try await support.post("/console/users/former/impersonate", fields).status == 403)
        }
        try await TestServer.running(environment: ConsoleClient.environment) { server in
            let browser = try await ConsoleClient.enroll(server)
            try await makeUser(server, "ada")
            #expect(try await !browser.get("/console/users/ada").html.contains("impersonate"))
            #expect(try await browser.get("/console/users/ada/impersonate").status == 404)
            let fields = [("reason", "ticket 7"), ("confirmed", "yes")]
            #expect(try await browser.post("/console/users/ada/impersonate", fields).status == 404)
        }
    }

    @Test("all users of a search are counted first, then changed step by step", arguments: TestServer.Engine.allCases)
    func bulk(engine: TestServer.Engine) async throws {
        try await TestServer.running(environment: ConsoleClient.environment, on: engine) { server in
            for number in 0..<120 { try await makeUser(server, "a-\(number)", ["email": .string("a\(number)@old.example")]) }
            try await makeUser(server, "kept", ["email": "kept@example.com"])
            let browser = try await ConsoleClient.enroll(server, role: .support)
            _ = try await browser.get("/console/users/bulk?q=a")
            let search = [("q", "a")]
            let dry = try await browser.post("/console/users/bulk", search + [("action", "disable")])
            #expect(dry.html.contains("Disable all that were found (120)"))
            let token = try #require(dry.field("progress"))
            func isDisabled(_ user: String) async throws -> Bool? {
                let scope = Scope(projectID: "demo-test")
                return try await server.core.database.read { try $0.account(scope, localID: user)?.isDisabled }
            }
            #expect(try await isDisabled("a-7") == false)
            let asked = try await browser.post("/console/users/bulk", search + [("progress", token)])
            #expect(asked.html.contains("name=\"confirmed\""))
            let confirmed = [("confirmed", "yes")]
            // The token is good for its search and its operator only.
            #expect(try await browser.post("/console/users/bulk", confirmed + [("progress", token)]).status == 400)
            let other = try await ConsoleClient.enroll(server, role: .administrator)
            _ = try await other.get("/console/users/bulk")
            #expect(try await other.post("/console/users/bulk", search + confirmed + [("progress", token)]).status == 400)
            #expect(try await browser.post("/console/users/bulk", search + confirmed + [("progress", "x")]).status == 400)

            let first = try await browser.post("/console/users/bulk", search + confirmed + [("progress", token)])
            #expect(first.html.contains("data-continue=\"Stop\""))
            // A run that has begun goes on after the five minutes of a proof.
            server.clock.advance(by: .seconds(600))
            let next = try #require(first.field("progress"))
            let last = try await browser.post("/console/users/bulk", search + [("progress", next)])
            #expect(last.html.contains("All users that were found have been changed."))
            for number in 0..<120 { #expect(try await isDisabled("a-\(number)") == true) }
            #expect(try await isDisabled("kept") == false)
            #expect(try await server.auditTrail().count { $0[1] == "operator:support@example.com" && $0[0] == "update" } == 120)
            server.clock.advance(by: .seconds(3600))
            _ = try await browser.signIn()
            _ = try await browser.get("/console/users/bulk")
            #expect(try await browser.post("/console/users/bulk", search + [("progress", next)]).status == 400, "it is old")
        }
    }

    @Test("deleting all users of a search needs a fresh proof, and viewers do neither")
    func bulkDeletion() async throws {
        try await TestServer.running(environment: ConsoleClient.environment) { server in
            for number in 0..<3 { try await makeUser(server, "d-\(number)", ["email": .string("d\(number)@old.example")]) }
            let browser = try await ConsoleClient.enroll(server, role: .administrator)
            _ = try await browser.get("/console/users/bulk")
            let search = [("q", "d")]
            let dry = try await browser.post("/console/users/bulk", search + [("action", "delete")])
            let run = search + [("progress", try #require(dry.field("progress"))), ("confirmed", "yes")]
            server.clock.advance(by: .seconds(301))
            #expect(try await browser.post("/console/users/bulk", run).location?.hasPrefix("/console/confirm") == true)
            try await browser.confirm()
            #expect(try await browser.post("/console/users/bulk", run).html.contains("have been changed"))
            #expect(try await server.auditTrail().count { $0[0] == "delete" } == 3)
            let viewer = try await ConsoleClient.enroll(server, role: .viewer)
            #expect(try await viewer.get("/console/users/bulk").status == 403)
        }
    }

    @Test("a change concerns no more users than its dry run counted", arguments: BulkUserChange.Action.allCases)
    func bulkBound(action: BulkUserChange.Action) async throws {
        try await TestServer.running(environment: ConsoleClient.environment) { server in
            try await makeUser(server, "b-0", ["email": "b0@old.example"])
            let browser = try await ConsoleClient.enroll(server, role: .administrator)
            _ = try await browser.get("/console/users/bulk")
            let search = [("q", "b")]
            let dry = try await browser.post("/console/users/bulk", search + [("action", action.rawValue)])
            for number in 1..<5 { try await makeUser(server, "b-\(number)", ["email": .string("b\(number)@old.example")]) }
            let run = search + [("progress", try #require(dry.field("progress"))), ("confirmed", "yes")]
            let done = try await browser.post("/console/users/bulk", run)
            #expect(done.html.contains("have been changed") && done.field("progress") == nil)
            let name = action == .delete ? "delete" : "update"
            #expect(try await server.auditTrail().count { $0[0] == name } == 1)
        }
    }

    @Test("a search with a field that says nothing is refused, because it would find everybody")
    func unreadableSearches() async throws {
        try await TestServer.running(environment: ConsoleClient.environment) { server in
            let browser = try await ConsoleClient.enroll(server, role: .support)
            for (name, value) in [
                ("state", "disabledd"), ("createdBefore", "26.11.2020"), ("createdSince", "2026-02-30x"), ("seenBefore", "2020"),
                ("seenSince", "yesterday!"), ("claimValue", "x"), ("providerId", "zzz"),
            ] {
                for path in ["/console/users", "/console/users/bulk"] {
                    #expect(try await browser.get("\(path)?\(name)=\(value)").status == 400, "\(path) \(name)")
                }
                let page = try await browser.post("/console/users/bulk", [(name, value), ("action", "delete")])
                #expect(page.status == 400 && page.html.contains("Look at the field"), "\(name)")
            }
            let both = "q=%2B15555550100&provider=google.com"
            #expect(try await browser.get("/console/users?\(both)").status == 400, "one would take the place of the other")
        }
    }
}
