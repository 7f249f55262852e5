import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("The removal of a tenant with many accounts", .teardown, .timeLimit(.minutes(15)))
struct TenantRemovalTests {
    @Test("takes everything in it, part by part, and nothing beside it", arguments: Engine.allCases)
    func large(engine: Engine) async throws {
        let server = try await TestServer.start(project: TestServer.phoneProject(), on: engine)
        let scope = Scope(projectID: "demo-test", tenantID: "acme")
        try await server.core.database.write { transaction in
            for number in 0..<1200 {
                var account = AccountRecord(localID: "u\(number)", createdAt: server.clock.now)
                account.email = "u\(number)@example.com"
                try transaction.insertAccount(scope, account)
            }
        }
        let session = try server.session(try await server.call("signUp", ["tenantId": "acme"]))
        let other = try server.session(try await server.call("signUp", [:]))
        let path = "/identitytoolkit.googleapis.com/v2/projects/demo-test/tenants/acme"
        let removed = try await server.client.send("DELETE", path, headers: TestServer.bearer)
        #expect(removed.status == 200, "\(removed.json.text)")
        #expect(try await server.client.get(path, headers: TestServer.bearer).errorMessage == "TENANT_NOT_FOUND")
        #expect(try await server.refresh(session.refreshToken).status == 400)
        let left = try await server.core.database.read { transaction in
            try ["accounts", "sessions", "resources"].map { table in
                try transaction.query("SELECT 1 AS one FROM \(raw: table) WHERE tenant_id = 'acme'").count
            }
        }
        #expect(left == [0, 0, 0])
        #expect(try await server.user(other.localID) != nil)
        #expect(try await server.refresh(other.refreshToken).status == 200)
    }
}
