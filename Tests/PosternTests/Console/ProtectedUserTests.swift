import Accounts
import Foundation
import Project
import TestKit
import Testing

@testable import Server

@Suite("Users with the protected claim, in the console", .teardown, .timeLimit(.minutes(15)))
struct ProtectedUserTests {
    private static let users = "/console/users"

    private static func start(
        on engine: Engine = .sqlite
    ) async throws -> (TestServer, support: ConsoleClient, administrator: ConsoleClient) {
        let server = try await TestServer.start(environment: ConsoleClient.environment, on: engine)
        let boss: JSONValue = ["localId": "boss", "email": "boss@example.com", "password": "secret-1"]
        #expect(try await server.admin("accounts", boss).status == 200)
        let claims: JSONValue = ["localId": "boss", "customAttributes": "{\"admin\":true}"]
        #expect(try await server.admin("POST", "/accounts:update", claims, prefix: admin).status == 200)
        #expect(try await server.admin("accounts", ["localId": "other", "email": "other@example.com"]).status == 200)
        let support = try await ConsoleClient.enroll(server, role: .support)
        return (server, support, try await ConsoleClient.enroll(server, role: .administrator))
    }

    private static let admin = "/identitytoolkit.googleapis.com/v1/projects/demo-test"

    private static func state(_ server: TestServer, _ user: String = "boss") async throws -> JSONValue? {
        let found = try await server.admin("POST", "/accounts:lookup", ["localId": [.string(user)]], prefix: admin)
        return found["users"]?[0]
    }

    private static func imported(_ row: JSONValue, by browser: ConsoleClient, overwriting: Bool) async throws -> String {
        _ = try await browser.get("/console/imports")
        let file: JSONValue = ["users": [row]]
        let overwrite = overwriting ? [("overwriteAll", "on")] : []
        return try await browser.post("/console/imports", [("format", "json"), ("users", file.text)] + overwrite).html
    }

    @Test("are changed, deleted and replaced by no support agent, whichever form asks", arguments: Engine.allCases)
    func changes(engine: Engine) async throws {
        let (server, support, administrator) = try await Self.start(on: engine)
        let before = try await Self.state(server)
        _ = try await support.get(Self.users)
        for action in ["disable", "enable", "delete"] {
            let fields = [("do", action), ("user", "other"), ("user", "boss"), ("confirmed", "yes")]
            #expect(try await support.post(Self.users, fields).status == 403, "\(action)")
        }
        #expect(try await Self.state(server, "other")?["disabled"] != true, "no half of a form is done")
        let deletion = [("q", "boss"), ("action", BulkUserChange.Action.delete.rawValue)]
        #expect(try await support.post("\(Self.users)/bulk", deletion).status == 403)
        for action in BulkUserChange.Action.allCases where action != .delete {
            let dry = try await support.post("\(Self.users)/bulk", [("q", "boss"), ("action", action.rawValue)])
            let run = [("q", "boss"), ("progress", try #require(dry.field("progress"))), ("confirmed", "yes")]
            let done = try await support.post("\(Self.users)/bulk", run)
            #expect(done.html.contains("have been changed"), "\(action)")
        }
        for (action, id) in [("disable", ""), ("delete", ""), ("endSessions", ""), ("unlink", "password"), ("mail", "")] {
            let fields = [("do", action), ("id", id), ("kind", "PASSWORD_RESET"), ("confirmed", "yes")]
            #expect(try await support.post("\(Self.users)/boss", fields).status == 403, "\(action)")
        }
        let mine: JSONValue = ["localId": "boss", "email": "boss@example.com", "rawPassword": "stolen-1"]
        #expect(try await Self.imported(mine, by: support, overwriting: true).contains("can not overwrite"))
        #expect(try await Self.state(server) == before)
        #expect(try await Self.imported(mine, by: administrator, overwriting: true).contains("1 rows: 1 imported"))
    }

    @Test("are made by no support agent: neither by claims nor by an import, new or in place of another")
    func making() async throws {
        let (server, support, administrator) = try await Self.start()
        let claims = [("do", "claims"), ("claims", "{\"admin\":true}")]
        _ = try await support.get("\(Self.users)/other")
        #expect(try await support.post("\(Self.users)/other", claims).status == 403)
        #expect(try await support.post("\(Self.users)/other", [("do", "claims"), ("claims", "{\"plan\":1}")]).status == 303)
        for (user, overwriting) in [("new", false), ("other", true)] {
            let row: JSONValue = ["localId": .string(user), "customAttributes": "{\"admin\":true}"]
            let report = try await Self.imported(row, by: support, overwriting: overwriting)
            #expect(report.contains("protected claim"), "\(user)")
        }
        #expect(try await Self.state(server, "new") == nil)
        #expect(try await Self.state(server, "other")?["customAttributes"] == "{\"plan\":1}")
        _ = try await administrator.get("\(Self.users)/other")
        #expect(try await administrator.post("\(Self.users)/other", claims).status == 303)
    }
}
