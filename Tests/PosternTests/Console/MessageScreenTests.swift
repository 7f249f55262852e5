import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("Text messages and policies in the console", .teardown, .timeLimit(.minutes(15)))
struct MessageScreenTests {
    private static let path = "/console/sms"
    private static let number = "+16505551234"

    @Test("a test message is sent, counted, and needs a fresh factor", arguments: Engine.allCases)
    func sms(engine: Engine) async throws {
        let hook = try await LoopbackService.start()
        let environment = [
            "POSTERN_SMS_TRANSPORT": "webhook", "POSTERN_SMS_WEBHOOK_URL": hook.origin + "/sms",
            "POSTERN_SMS_WEBHOOK_SECRET": "secret", "POSTERN_LIMITS_PHONE_PER_NUMBER_PER_HOUR": "2",
        ]
        let server = try await TestServer.start(
            environment: ConsoleClient.environment.merging(environment) { $1 },
            project: TestServer.phoneProject("smsRegionConfig: {allowByDefault: {disallowedRegions: [FR]}}"),
            on: engine
        )
        let owner = try await ConsoleClient.enroll(server)
        let page = try await owner.get(Self.path)
        #expect(page.html.contains("To one number in an hour") && page.html.contains("Send a test message"))
        let send = [("do", "test"), ("number", "+1 (650) 555-1234")]
        #expect(try await owner.post(Self.path, send).location == "\(Self.path)?done=sent")
        let call = await hook.call(1)
        #expect(call.json["to"]?.string == Self.number && call.json["purpose"] == "test")
        #expect(call.json["message"] == "This is a test message of demo-test.")
        #expect(try await owner.post(Self.path, send).status == 303)
        #expect(try await owner.post(Self.path, send).html.contains("too many attempts"))
        for number in ["+33612345678", TestServer.testNumber, "no number", ""] {
            #expect(try await owner.post(Self.path, [("do", "test"), ("number", number)]).status == 400, "\(number)")
        }
        let trail = try await server.auditTrail()
        #expect(trail.count { $0 == ["testMessageSent", "operator:owner@example.com", ""] } == 2)
        #expect(try await !server.storedText().contains("6505551234"))
        for role in [OperatorRole.support, .viewer] {
            let other = try await ConsoleClient.enroll(server, role: role)
            #expect(try await !other.get(Self.path).html.contains("Send a test message"))
            #expect(try await other.post(Self.path, send).status == 403)
        }
        server.clock.advance(by: .seconds(301))
        #expect(try await owner.post(Self.path, send).location?.hasPrefix("/console/confirm") == true)
        #expect(try await owner.get(Self.path).html.contains("A message costs money."))
    }

    @Test("the users whom policies concern are counted", arguments: Engine.allCases)
    func policies(engine: Engine) async throws {
        let server = try await TestServer.start(
            environment: ConsoleClient.environment,
            project: TestServer.emailProject(),
            on: engine
        )
        let owner = try await ConsoleClient.enroll(server)
        _ = try await server.signUp("ada@example.com")
        for id in ["b", "c"] {
            let made = try await server.client.post(
                "/v1/projects/demo-test/accounts",
                ["localId": .string(id), "email": .string("\(id)@example.com")],
                headers: [("Authorization", "Bearer \(TestServer.adminToken)")]
            )
            #expect(made.status == 200)
        }
        let html = try await owner.get("/console/policies").html
        func fact(_ label: String) -> String? {
            html.firstMatch(of: try! Regex("<dt>\(label)</dt><dd>([^<]*)</dd>")).map { String($0[1].substring ?? "") }
        }
        #expect(fact("Users") == "3" && fact("With a password") == "1" && fact("Without a second factor") == "3")
        let scope = Scope(projectID: "demo-test")
        let census = try await server.core.database.read { try $0.accountCensus(scope, limit: 2) }
        #expect(census.examined == 2 && census.isPartial)
        let exact = try await server.core.database.read { try $0.accountCensus(scope, limit: 3) }
        #expect(exact.examined == 3 && !exact.isPartial)
    }
}
