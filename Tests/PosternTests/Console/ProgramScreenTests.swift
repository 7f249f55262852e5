import Accounts
import Foundation
import Project
import TestKit
import Testing

@testable import Server

@Suite("Credentials of programs in the console", .teardown, .timeLimit(.minutes(15)))
struct ProgramScreenTests {
    private static let path = "/console/service-accounts"

    private func lookUp(_ server: TestServer, _ token: String) async throws -> Int {
        let headers = [("Authorization", "Bearer \(token)")]
        return try await server.client.post("/v1/projects/demo-test/accounts:lookup", ["localId": ["x"]], headers: headers).status
    }

    @Test("a token is made, shown once, used and revoked", arguments: Engine.allCases)
    func tokens(engine: Engine) async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment, on: engine)
        let owner = try await ConsoleClient.enroll(server)
        _ = try await owner.get(Self.path)
        let fields = [("do", "createToken"), ("name", "ci"), ("read", "on"), ("days", "30")]
        let made = try await owner.post(Self.path, fields)
        let token = try #require(made.html.firstMatch(of: /postern_admin_[A-Za-z0-9_-]{43}/).map { String($0.0) })
        #expect(try await lookUp(server, token) == 200)
        let created = try await server.client.post(
            "/v1/projects/demo-test/accounts",
            ["email": "a@example.com"],
            headers: [("Authorization", "Bearer \(token)")]
        )
        #expect(created.status == 403, "the token may only read")
        let list = try await owner.get(Self.path)
        #expect(!list.html.contains(token) && list.html.contains("<bdi>ci</bdi>"))
        let end = String(server.clock.now.advanced(by: .seconds(30 * 86_400)).rfc3339.prefix(10))
        #expect(list.html.contains(end))
        #expect(try await owner.post(Self.path, fields).status == 400, "the name is taken")
        #expect(try await owner.post(Self.path, [("do", "createToken"), ("name", "none")]).status == 400)
        let id = try #require(list.fields.first { $0.0 == "id" }?.1)
        let revoke = [("do", "revoke"), ("id", id)]
        #expect(try await owner.post(Self.path, revoke).html.contains("name=\"confirmed\""))
        #expect(try await owner.post(Self.path, revoke + [("confirmed", "yes")]).status == 303)
        server.clock.advance(by: .seconds(2))
        #expect(try await lookUp(server, token) == 401)
        let trail = try await server.auditTrail()
        for event in ["adminTokenCreated", "adminTokenRevoked"] {
            #expect(trail.contains([event, "operator:owner@example.com", ""]))
        }
        #expect(try await !server.storedText().contains(token))
    }

    @Test("a service account has a key file, or a key that the server holds", arguments: Engine.allCases)
    func accounts(engine: Engine) async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment, on: engine)
        let owner = try await ConsoleClient.enroll(server, role: .administrator)
        _ = try await owner.get(Self.path)
        let made = try await owner.post(Self.path, [("do", "createAccount"), ("name", "backend")])
        let email = "backend@demo-test.iam.gserviceaccount.com"
        #expect(made.html.contains("BEGIN PRIVATE KEY") && made.html.contains(email))
        #expect(try await !owner.get(Self.path).html.contains("BEGIN PRIVATE KEY"))
        let held = try await owner.post(Self.path, [("do", "createAccount"), ("name", "signer"), ("held", "on")])
        #expect(held.location == "\(Self.path)?done=saved")
        let list = try await owner.get(Self.path)
        #expect(list.html.contains("Held by this server") && list.html.contains(email))
        #expect(try await owner.post(Self.path, [("do", "createAccount"), ("name", "Not a name")]).status == 400)
        let delete = [("do", "deleteAccount"), ("id", email), ("confirmed", "yes")]
        #expect(try await owner.post(Self.path, delete).status == 303)
        #expect(try await !owner.get(Self.path).html.contains(email))
        let trail = try await server.auditTrail()
        for event in ["serviceAccountCreated", "serviceAccountDeleted"] {
            #expect(trail.contains([event, "operator:administrator@example.com", ""]))
        }
    }

    @Test("is for administrators of the project, with a fresh factor")
    func roles() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let owner = try await ConsoleClient.enroll(server)
        _ = try await owner.get(Self.path)
        let create = [("do", "createToken"), ("name", "x"), ("read", "on")]
        server.clock.advance(by: .seconds(301))
        #expect(try await owner.post(Self.path, create).location?.hasPrefix("/console/confirm") == true)
        #expect(try await !owner.get(Self.path).html.contains("createToken"))
        for role in [OperatorRole.support, .viewer] {
            let other = try await ConsoleClient.enroll(server, role: role)
            let page = try await other.get(Self.path)
            #expect(page.status == 200 && !page.html.contains("createToken"))
            #expect(try await other.post(Self.path, create).status == 403)
            #expect(try await other.post(Self.path, [("do", "createAccount"), ("name", "x")]).status == 403)
        }
        let tenants = try await ConsoleClient.enroll(server, role: .administrator, tenantID: "acme", email: "t@example.com")
        #expect(try await tenants.get(Self.path).status == 403)
        _ = try await tenants.get("/console/users")
        #expect(try await tenants.post(Self.path, create).status == 403)
        #expect(try await tenants.post(Self.path, create + [("tenant", "acme")]).status == 403)
    }
}
