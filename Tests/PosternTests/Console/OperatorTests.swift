import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("Operators of the console", .timeLimit(.minutes(15)))
struct OperatorTests {
    private static let pages = [
        "/console", "/console/users", "/console/diagnosis", "/console/audit", "/console/keys", "/console/connect",
        "/console/profile",
    ]

    @Test("a server that starts often is not stopped by its own invitations, and the last links work")
    func manyStarts() async throws {
        try await TestServer.running(environment: ConsoleClient.environment) { server in
            let invitations = server.core.useCases.console.invitations
            var codes: [String] = []
            for _ in 0..<130 {
                codes.append(try #require(try await invitations.firstStart()))
                server.clock.advance(by: .seconds(1))
            }
            #expect(try await server.client.get("/console/invitation?code=\(codes[0])").status == 400)
            #expect(try await server.client.get("/console/invitation?code=\(codes[125])").status == 200)
        }
    }

    @Test("each role sees what its scopes say", arguments: OperatorRole.allCases)
    func roles(role: OperatorRole) async throws {
        try await TestServer.running(environment: ConsoleClient.environment) { server in
            if role != .owner { _ = try await ConsoleClient.enroll(server) }
            let browser = try await ConsoleClient.enroll(server, role: role)
            for page in Self.pages { #expect(try await browser.get(page).status == 200, "\(page)") }
            #expect(try await browser.get("/console/operators").status == (role == .owner ? 200 : 403))
            let mayChange = role.scopes.contains(.edit)
            #expect(try await browser.get("/console/users/new").status == (mayChange ? 200 : 403))
            let made = try await browser.post("/console/users/new", [("email", "new@example.com"), ("id", "new")])
            #expect(made.status == (mayChange ? 303 : 403))
            #expect(try await server.account("new") == mayChange)
            let rotated = try await browser.post("/console/keys", [("do", "rotate"), ("confirmed", "yes")])
            #expect(rotated.status == (role.scopes.isSuperset(of: .all) ? 303 : 403))
            let invited = try await browser.post(
                "/console/operators",
                [("do", "invite"), ("email", "x@example.com"), ("role", "owner")]
            )
            #expect(invited.status == (role == .owner ? 200 : 403))
        }
    }

    @Test("an operator of one tenant works in no other, and not in the project (TEN-01)", arguments: TestServer.Engine.allCases)
    func tenants(engine: TestServer.Engine) async throws {
        try await TestServer.running(environment: ConsoleClient.environment, on: engine) { server in
            let browser = try await ConsoleClient.enroll(server, role: .administrator, tenantID: "acme")
            #expect(try await browser.get("/console/users").status == 200)
            #expect(try await browser.get("/console/users?tenant=acme").status == 200)
            for tenant in ["closed", "other", "ACME"] {
                #expect(try await browser.get("/console/users?tenant=\(tenant)").status == 403)
                let fields = [("tenant", tenant), ("email", "x@example.com")]
                #expect(try await browser.post("/console/users/new", fields).status == 403)
            }
            #expect(try await browser.post("/console/keys", [("do", "rotate"), ("confirmed", "yes")]).status == 403)
            #expect(try await browser.get("/console/operators").status == 403)
            let made = try await browser.post("/console/users/new", [("email", "x@example.com")])
            #expect(made.location?.hasSuffix("?tenant=acme&done=saved") == true)
        }
    }

    @Test("a removed or demoted operator keeps neither sessions nor invitations", arguments: TestServer.Engine.allCases)
    func removal(engine: TestServer.Engine) async throws {
        try await TestServer.running(environment: ConsoleClient.environment, on: engine) { server in
            let owner = try await ConsoleClient.enroll(server)
            let second = try await ConsoleClient.enroll(server, email: "second@example.com")
            _ = try await second.get("/console/operators")
            let invite = [("do", "invite"), ("email", "planted@example.com"), ("role", "owner")]
            let page = try await second.post("/console/operators", invite)
            let code = try #require(page.html.firstMatch(of: /invitation\?code=([A-Za-z0-9_-]{43})/).map { String($0.1) })
            #expect(try await server.client.get("/console/invitation?code=\(code)").status == 200)

            let all = try await server.core.useCases.console.directory.all()
            let id = try #require(all.first { $0.email == "second@example.com" }?.operatorID)
            _ = try await owner.get("/console/operators/\(id)")
            let demotion = [("way", "role"), ("role", "viewer"), ("onlyTenant", ""), ("confirmed", "yes")]
            #expect(try await owner.post("/console/operators/\(id)", demotion).status == 303)
            #expect(try await second.get("/console").location?.hasPrefix("/console/sign-in") == true)
            #expect(try await server.client.get("/console/invitation?code=\(code)").status == 400)

            #expect(try await owner.post("/console/operators/\(id)", [("way", "remove"), ("confirmed", "yes")]).status == 303)
            server.clock.advance(by: .seconds(30))
            #expect(try await second.signIn().status == 200)
            // The last owner stays.
            let ownID = try #require(all.first { $0.email == owner.email }?.operatorID)
            #expect(try await owner.post("/console/operators/\(ownID)", [("way", "remove"), ("confirmed", "yes")]).status == 400)
            #expect(try await server.core.useCases.console.directory.all().map(\.email) == [owner.email])
        }
    }

    @Test("who is invited again has new factors only", arguments: TestServer.Engine.allCases)
    func recovery(engine: TestServer.Engine) async throws {
        try await TestServer.running(environment: ConsoleClient.environment, on: engine) { server in
            let old = try await ConsoleClient.enroll(server)
            server.clock.advance(by: .seconds(30))
            let new = try await ConsoleClient.enroll(server, role: .viewer)
            let again = try await ConsoleClient.enroll(server, role: .viewer, email: old.email)
            #expect(try await old.get("/console").status == 303)
            server.clock.advance(by: .seconds(30))
            #expect(try await old.signIn().status == 200)
            #expect(try await again.get("/console/operators").status == 200, "the role stays")
            #expect(try await new.get("/console/operators").status == 403)
        }
    }

    @Test("one strong way to sign in stays, and changing it ends other sessions")
    func factors() async throws {
        try await TestServer.running(environment: ConsoleClient.environment) { server in
            let browser = try await ConsoleClient.enroll(server)
            _ = try await browser.get("/console/profile")
            let remove = [("way", "removePassword"), ("confirmed", "yes")]
            #expect(try await browser.post("/console/profile", remove).status == 400)
            server.clock.advance(by: .seconds(301))
            #expect(try await browser.post("/console/profile", remove).location?.hasPrefix("/console/confirm") == true)
        }
    }

    @Test("hostile texts of users are text on every page (WEB-04)")
    func hostileTexts() async throws {
        try await TestServer.running(environment: ConsoleClient.environment) { server in
            let browser = try await ConsoleClient.enroll(server)
            let hostile = "\"><script>alert(1)</script><img src=x onerror=alert(2)>{{csrf}}\u{202E}'"
            let body: JSONValue = [
                "localId": "hostile", "email": "h@example.com", "displayName": .string(hostile),
                "photoUrl": "javascript:alert(3)",
            ]
            let made = try await server.client.post(
                "/v1/projects/demo-test/accounts",
                body,
                headers: [("Authorization", "Bearer \(TestServer.adminToken)")]
            )
            #expect(made.status == 200)
            for page in ["/console/users", "/console/users/hostile", "/console/audit", "/console/users?q=%3Cscript%3E"] {
                let html = try await browser.get(page).html
                #expect(!html.contains("<script>") && !html.contains("<img") && !html.contains("href=\"javascript"), "\(page)")
            }
            let html = try await browser.get("/console/users/hostile").html
            #expect(html.contains("{{csrf}}"))
        }
    }

    @Test("every page forbids frames, foreign scripts and being kept (WEB-01)")
    func headers() async throws {
        try await TestServer.running(environment: ConsoleClient.environment) { server in
            let browser = try await ConsoleClient.enroll(server)
            for path in Self.pages + ["/console/sign-in", "/console/nothing"] {
                let answer = try await browser.get(path).answer
                let policy = try #require(answer.header("Content-Security-Policy"))
                #expect(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe-"))
                #expect(answer.header("X-Frame-Options") == "DENY")
                #expect(answer.header("Cache-Control") == "no-store")
                #expect(answer.header("Referrer-Policy") == "same-origin")
            }
            let foreign = try await browser.get("/console/users", headers: [("Origin", "https://evil.example")])
            #expect(foreign.answer.header("Access-Control-Allow-Origin") == nil)
        }
    }

    @Test("support and viewers know numbers by their ends only")
    func numbers() async throws {
        try await TestServer.running(environment: ConsoleClient.environment) { server in
            _ = try await ConsoleClient.enroll(server)
            let body: JSONValue = ["localId": "p", "phoneNumber": "+15555550123"]
            let headers = [("Authorization", "Bearer \(TestServer.adminToken)")]
            #expect(try await server.client.post("/v1/projects/demo-test/accounts", body, headers: headers).status == 200)
            for role in [OperatorRole.support, .viewer] {
                let browser = try await ConsoleClient.enroll(server, role: role)
                for page in ["/console/users", "/console/users/p", "/console/audit"] {
                    #expect(try await !browser.get(page).html.contains("5555550123"), "\(role) \(page)")
                }
                #expect(try await !browser.get("/console/users?q=%2B1555").html.contains("/console/users/p\""))
                #expect(try await browser.get("/console/users?q=%2B15555550123").html.contains("/console/users/p\""))
            }
            let administrator = try await ConsoleClient.enroll(server, role: .administrator)
            #expect(try await administrator.get("/console/users/p").html.contains("+15555550123"))
        }
    }

    @Test("in production a page is no administrator by Bearer owner, and a setting refuses the word altogether (EMU-02)")
    func ownerWord() async throws {
        let environment = TestServer.privateListener
        func lookup(_ server: TestServer, _ headers: [(String, String)]) async throws -> Int {
            try await #require(server.privateClient).post(
                "/v1/projects/demo-test/accounts:lookup",
                ["localId": ["x"]],
                headers: [("Authorization", "Bearer owner")] + headers
            ).status
        }
        try await TestServer.running(environment: environment) { server in
            let base = try #require(server.privateClient).base
            #expect(try await lookup(server, []) == 200)
            #expect(try await lookup(server, [("Origin", base)]) == 401)
            #expect(try await lookup(server, [("Sec-Fetch-Site", "same-origin")]) == 401)
        }
        let switchedOff = environment.merging(["POSTERN_ADMIN_ACCEPTS_OWNER": "false"]) { $1 }
        try await TestServer.running(environment: switchedOff) { server in
            let status = try await lookup(server, [])
            #expect(status == 401)
        }
    }
}

extension TestServer {
    /// Whether there is an account of an id.
    fileprivate func account(_ localID: String) async throws -> Bool {
        let scope = Scope(projectID: "demo-test")
        return try await core.database.read { try $0.account(scope, localID: localID) } != nil
    }
}
