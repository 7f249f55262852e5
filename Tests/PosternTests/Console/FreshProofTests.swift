import Accounts
import Foundation
import Project
import TestKit
import Testing

@testable import Server

@Suite("An operator whose proof of a factor is too old", .teardown, .timeLimit(.minutes(15)))
struct FreshProofTests {
    @Test("makes no user and changes nothing by which a user signs in, whatever the form", arguments: Engine.allCases)
    func users(engine: Engine) async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment, on: engine)
        let ada: JSONValue = ["localId": "ada", "email": "ada@example.com", "displayName": "Ada"]
        #expect(try await server.admin("accounts", ada).status == 200)
        let off: JSONValue = ["localId": "bob", "disabled": true]
        #expect(try await server.admin("accounts", off).status == 200)
        let agent = try await ConsoleClient.enroll(server, role: .support)
        _ = try await agent.get("/console/users")
        server.clock.advance(by: .seconds(301))
        func stored() async throws -> [JSONValue?] { [try await server.user("ada"), try await server.user("bob")] }
        let before = try await stored()
        let profile = [("do", "profile"), ("name", "Ada"), ("photo", "")]
        for (path, fields) in [
            ("/console/users/new", [("email", "new@example.com"), ("verified", "on"), ("password", "secret-1")]),
            ("/console/users/new", [("id", "carol")]),
            ("/console/users/ada", profile + [("email", "ada@example.com"), ("verified", "on")]),
            ("/console/users/ada", profile + [("email", "other@example.com")]),
            ("/console/users/ada", [("do", "claims"), ("claims", #"{"role": "clerk"}"#)]),
            ("/console/users/bob", [("do", "enable")]),
        ] {
            let answer = try await agent.post(path, fields)
            #expect(answer.location?.hasPrefix("/console/confirm") == true, "\(path) \(fields): \(answer.status)")
        }
        #expect(try await stored() == before)
        #expect(try await server.user("carol") == nil)
        #expect(try await server.admin("accounts:lookup", ["email": ["new@example.com"]])["users"] == nil)
        // What shuts out needs none, nor does a name.
        let shut = [
            ("/console/users/ada", [("do", "disable")]),
            ("/console/users/ada", [("do", "profile"), ("name", "Ada L."), ("photo", ""), ("email", "ada@example.com")]),
        ]
        for (path, fields) in shut {
            let answer = try await agent.post(path, fields)
            #expect(answer.location?.contains("done=saved") == true, "\(fields): \(answer.status)")
        }
    }
}
