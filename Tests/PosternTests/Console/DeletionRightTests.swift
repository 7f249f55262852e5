import Accounts
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("The right to delete users", .teardown, .timeLimit(.minutes(15)))
struct DeletionRightTests {
    @Test("is no part of a support agent's, who disables them instead, by none of the three ways")
    func support() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let users = ["ada", "bob", "cyd", "dan", "eve"]
        for user in users { #expect(try await server.admin("accounts", ["localId": .string(user)]).status == 200) }
        let support = try await ConsoleClient.enroll(server, role: .support)
        for path in ["/console/users", "/console/users/ada", "/console/users/bulk"] {
            #expect(try await !support.get(path).html.contains("value=\"delete\""), "\(path)")
        }
        let all = users.map { ("user", $0) }
        let forms: [(String, [(String, String)])] = [
            ("/console/users", [("do", "delete"), ("confirmed", "yes")] + all),
            ("/console/users/ada", [("do", "delete"), ("confirmed", "yes")]), ("/console/users/bulk", [("action", "delete")]),
        ]
        for (path, fields) in forms { #expect(try await support.post(path, fields).status == 403, "\(path)") }
        for user in users { #expect(try await server.user(user) != nil) }
        #expect(try await support.post("/console/users", [("do", "disable")] + all).status == 303)
        #expect(try await server.user("eve")?["disabled"] == true)

        let administrator = try await ConsoleClient.enroll(server, role: .administrator)
        #expect(try await administrator.get("/console/users").html.contains("value=\"delete\""))
        let deleted = try await administrator.post("/console/users", [("do", "delete"), ("confirmed", "yes")] + all)
        #expect(deleted.status == 303)
        #expect(try await server.user("ada") == nil)
    }

    @Test("is a scope of tokens, too: one that edits deletes nobody, one that deletes changes nobody, that of users does both")
    func tokens() async throws {
        let server = try await TestServer.start()
        for user in ["a", "b", "c", "d"] {
            #expect(try await server.admin("accounts", ["localId": .string(user)]).status == 200)
        }
        for (scopes, edits, deletes) in [(AdminScopes.edit, true, false), (.delete, false, true), (.users, true, true)] {
            let name = scopes.words.joined()
            let (record, token) = try await AdminTokenTests.registry(server).create(name, scopes: scopes, days: nil)
            #expect(record.scopes == name)
            func call(_ method: String, _ body: JSONValue) async throws -> Int {
                let path = "/v1/projects/demo-test/accounts:\(method)"
                return try await server.client.post(path, body, headers: [("Authorization", "Bearer \(token)")]).status
            }
            #expect(try await call("update", ["localId": "d", "displayName": "D"]) == (edits ? 200 : 403), "\(name)")
            #expect(try await call("lookup", ["localId": ["d"]]) == (edits ? 200 : 403), "\(name)")
            #expect(try await call("delete", ["localId": deletes && edits ? "b" : "a"]) == (deletes ? 200 : 403), "\(name)")
            let batch: JSONValue = ["localIds": [deletes && edits ? "c" : "e"], "force": true]
            #expect(try await call("batchDelete", batch) == (deletes ? 200 : 403), "\(name)")
        }
    }
}
