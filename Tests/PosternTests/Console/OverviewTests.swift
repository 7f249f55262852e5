import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("The overview of the console", .timeLimit(.minutes(15)))
struct OverviewTests {
    @Test("what happens is counted on its day, by kind, each tenant apart", arguments: TestServer.Engine.allCases)
    func counts(engine: TestServer.Engine) async throws {
        let environment = ConsoleClient.environment.merging(["POSTERN_EMAIL_TRANSPORT": "log"]) { $1 }
        try await TestServer.running(environment: environment, project: TestServer.emailProject(), on: engine) { server in
            let ada = try await server.signUp("ada@example.com")
            _ = try await server.call("signInWithPassword", ["email": "ada@example.com", "password": "wrong"])
            server.clock.advance(by: .seconds(86_400))
            let form = [("grant_type", "refresh_token"), ("refresh_token", ada.refreshToken)]
            #expect(try await server.client.post("/v1/token?key=\(TestServer.apiKey)", form: form).status == 200)
            #expect(try await server.client.post("/v1/token?key=\(TestServer.apiKey)", form: form).status == 200)
            await server.core.useCases.dailyCounts.write()
            await server.core.useCases.dailyCounts.write()

            let context = CallContext(scope: Scope(projectID: "demo-test"), isPrivileged: true)
            let overview = try await server.core.useCases.operators.overview.read(span: 14, tenantID: nil, context: context)
            #expect(overview.days.count == 14)
            func last(_ metric: DailyCounts.Metric) -> [String: [Int64]] {
                Dictionary(uniqueKeysWithValues: overview[metric].map { ($0.label, Array($0.values.suffix(2))) })
            }
            #expect(last(.newUsers) == ["password": [1, 0]])
            #expect(last(.signIns) == ["password": [1, 0]])
            #expect(last(.refusals) == ["INVALID_PASSWORD": [1, 0]])
            #expect(last(.refreshes) == ["": [0, 2]])
            #expect(last(.active) == ["": [1, 1]])
            let rows = try await server.core.database.read { transaction in
                try transaction.dailyCounts("demo-test", tenantKey: "acme", since: 0, limit: 10).count
            }
            #expect(rows == 0)

            let browser = try await ConsoleClient.enroll(server)
            let page = try await browser.get("/console?days=30")
            #expect(page.status == 200 && page.html.contains("Sign-ins"))
        }
    }

    @Test("tenants that strangers invent leave no rows of their own", arguments: TestServer.Engine.allCases)
    func inventedTenants(engine: TestServer.Engine) async throws {
        try await TestServer.running(project: TestServer.emailProject(), on: engine) { server in
            for number in 0..<20 {
                let body: JSONValue = [
                    "email": "a@example.com", "password": "secret-1", "tenantId": .string("tenant-\(number)"),
                ]
                #expect(try await server.call("signInWithPassword", body).status == 400)
            }
            await server.core.useCases.dailyCounts.write()
            let rows = try await server.core.database.read { try $0.query("SELECT tenant_id FROM daily_counts") }
            #expect(try rows.allSatisfy { try ["", "*"].contains($0.text("tenant_id")) } && rows.count <= 2)
        }
    }

    @Test("two nodes add to the same day at once", arguments: TestServer.Engine.allCases)
    func together(engine: TestServer.Engine) async throws {
        try await TestServer.running(on: engine) { server in
            let counts = (0..<40).map { label in
                DailyCount(
                    key: .init(projectID: "p", tenantKey: "", day: 1, metric: "signIns", label: "\(label)"),
                    count: Int64(label)
                )
            }
            let database = server.core.database
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for _ in 0..<8 { tasks.addTask { try await database.write { try $0.add(counts.shuffled()) } } }
                try await tasks.waitForAll()
            }
            let rows = try await database.read { try $0.dailyCounts("p", tenantKey: "", since: 1, limit: 100) }
            #expect(rows.count == 40 && rows.allSatisfy { $0.count == 8 * (Int64($0.key.label) ?? -1) })
            #expect(try await database.write { try $0.deleteDailyCounts(before: 2, limit: 500) } == 40)
        }
    }
}
