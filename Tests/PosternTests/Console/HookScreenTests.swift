import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("Functions and web hooks in the console", .timeLimit(.minutes(15)))
struct HookScreenTests {
    private static let path = "/console/hooks"

    private func running(
        on engine: TestServer.Engine = .sqlite,
        _ body: (TestServer, LoopbackService) async throws -> Void
    ) async throws {
        try await LoopbackService.running { hook in
            let environment = [
                "POSTERN_WEBHOOKS_URL": hook.origin + "/events?key=hidden", "POSTERN_WEBHOOKS_SECRET": "a web hook's secret",
                "POSTERN_AUDIT_WEBHOOK_URL": hook.origin + "/audit", "POSTERN_AUDIT_WEBHOOK_SECRET": "another secret",
            ]
            try await TestServer.running(
                environment: ConsoleClient.environment.merging(environment) { $1 },
                project: TestServer.phoneProject(),
                on: engine
            ) { try await body($0, hook) }
        }
    }

    @Test("a function is set, asked and removed")
    func functions() async throws {
        try await running { server, hook in
            let owner = try await ConsoleClient.enroll(server)
            let member = "blockingFunctions.triggers.beforeSignIn.functionUri"
            let fields = [(member, hook.origin + "/before"), ("blockingFunctions.forwardInboundCredentials.idToken", "on")]
            let saved = try await owner.save(Self.path, fields)
            #expect(saved.status == 303, "\(saved.html)")
            let config = try await server.admin("GET", "/config").json["blockingFunctions"]
            #expect(config?["triggers"]?["beforeSignIn"]?["functionUri"]?.string == hook.origin + "/before")
            #expect(config?["forwardInboundCredentials"]?["idToken"] == true)

            let test = [("do", "test"), ("hook", "beforeSignIn")]
            #expect(try await owner.post(Self.path, test).html.contains("It answered with status 200."))
            let call = try #require(hook.calls.first { $0.path == "/before" })
            let parts = try #require(call.json["data"]?["jwt"]?.string).split(separator: ".")
            let claims = try JSONValue.parse(try #require(Base64URL.decode(parts[1].utf8)))
            #expect(claims["sub"] == "postern-test" && claims["event_type"] == "beforeSignIn")
            hook.reply { _ in .init(403, json: ["error": ["message": "not today"]]) }
            let refused = try await owner.post(Self.path, test)
            #expect(refused.html.contains("It answered with status 403.") && refused.html.contains("not today"))
            #expect(try await owner.post(Self.path, [("do", "test"), ("hook", "beforeCreate")]).status == 400)
            #expect(try await owner.post(Self.path, [("do", "test"), ("hook", "nothing")]).status == 405)
            #expect(
                try await owner.post(Self.path, [("do", "nothing"), (member, "")]).status == 405,
                "no screen saves what it was not asked for"
            )
            #expect(try await server.admin("GET", "/config").json["blockingFunctions"]?["triggers"] != nil)

            #expect(try await owner.save(Self.path, [(member, "")]).status == 303)
            #expect(try await server.admin("GET", "/config").json["blockingFunctions"]?["triggers"] == nil)
            #expect(try await owner.save(Self.path, [(member, "no address")]).status == 400)
            #expect(try await server.auditTrail().contains(["hookTested", "operator:owner@example.com", ""]))
        }
    }

    @Test("events on their way are shown, and are tried at once", arguments: TestServer.Engine.allCases)
    func deliveries(engine: TestServer.Engine) async throws {
        try await running(on: engine) { server, hook in
            hook.reply { _ in .init(500, json: [:]) }
            let owner = try await ConsoleClient.enroll(server)
            _ = try await server.signUp("ada@example.com")
            try await eventually { hook.calls.count { $0.path.hasPrefix("/events") } >= 2 }
            // None of the two is under way any more.
            try await eventually { try await owner.get(Self.path).html.matches(of: /web hook: 500/).count == 2 }
            let page = try await owner.get(Self.path)
            #expect(page.html.contains("user.created") && page.html.contains("Try all now"))
            // A second later it would not be tried, since the next try is minutes away.
            hook.reply { _ in .init(200, json: [:]) }
            let before = hook.calls.count
            #expect(try await owner.post(Self.path, [("do", "hasten")]).location == "/console/hooks?done=hastened")
            _ = await hook.call(before + 2)
            try await eventually { try await owner.get(Self.path).html.contains("No event waits.") }
            #expect(try await server.auditTrail().contains(["deliveriesHastened", "operator:owner@example.com", ""]))

            for name in ["events", "audit"] {
                let tested = try await owner.post(Self.path, [("do", "test"), ("hook", name)])
                #expect(tested.html.contains("It answered with status 200."), "\(name)")
            }
            #expect(hook.calls.contains { $0.json["type"] == "test" && $0.headers["postern-signature"] != nil })
        }
    }

    @Test("viewers see neither buttons nor what is behind the host of an address, and tenants' operators nothing")
    func roles() async throws {
        try await running { server, _ in
            _ = try await ConsoleClient.enroll(server)
            for role in [OperatorRole.support, .viewer] {
                let other = try await ConsoleClient.enroll(server, role: role)
                let page = try await other.get(Self.path)
                #expect(page.status == 200 && !page.html.contains("key=hidden") && !page.html.contains("value=\"test\""))
                for action in ["test", "hasten", ""] {
                    #expect(try await other.post(Self.path, [("do", action), ("hook", "events")]).status == 403)
                }
            }
            let tenants = try await ConsoleClient.enroll(server, role: .administrator, tenantID: "acme", email: "t@example.com")
            #expect(try await tenants.get(Self.path).status == 403)
            _ = try await tenants.get("/console/users")
            #expect(try await tenants.post(Self.path, [("do", "test"), ("hook", "events")]).status == 403)
        }
    }
}
