import Accounts
import Foundation
import Project
import TestKit
import Testing

@testable import Server

@Suite("The configuration in the console", .teardown, .timeLimit(.minutes(15)))
struct ConfigurationScreenTests {
    private func config(_ server: TestServer, _ path: String = "config") async throws -> JSONValue {
        let headers = [("Authorization", "Bearer \(TestServer.adminToken)")]
        return try await server.client.get("/v2/projects/demo-test/\(path)", headers: headers).json
    }

    @Test("a form changes what it names, and leaves a record with the operator's name", arguments: Engine.allCases)
    func methods(engine: Engine) async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment, on: engine)
        let browser = try await ConsoleClient.enroll(server)
        #expect(try await config(server)["signIn"]?["anonymous"]?["enabled"] == true)
        let saved = try await browser.save("/console/methods", [("signIn.email.enabled", "on")])
        #expect(saved.location == "/console/methods?done=saved")
        let now = try await config(server)
        #expect(now["signIn"]?["email"]?["enabled"] == true && now["signIn"]?["anonymous"]?["enabled"] != true)
        let events = try await browser.get("/console/audit?event=config").html
        let all = try await browser.get("/console/audit").html
        #expect(all.contains("operator:owner@example.com") || events.contains("operator:owner@example.com"))
        for role in [OperatorRole.support, .viewer] {
            let other = try await ConsoleClient.enroll(server, role: role)
            #expect(try await other.get("/console/methods").status == 200)
            #expect(try await other.post("/console/methods", [("signIn.anonymous.enabled", "on")]).status == 403)
        }
    }

    @Test("every change needs a fresh proof")
    func freshProof() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let browser = try await ConsoleClient.enroll(server)
        let fields = [
            ("methods", "signIn.email.enabled", "on"), ("domains", "authorizedDomains", "evil.example"),
            ("hooks", "blockingFunctions.triggers.beforeSignIn.functionUri", "https://evil.example/"),
            ("policies", "mfa.state", "DISABLED"), ("sms", "signIn.phoneNumber.testPhoneNumbers", "+15555550100=123456"),
            ("templates", "notification.sendEmail.resetPasswordTemplate.replyTo", "evil@example.com"),
            ("providers/github.com", "clientId", "other"),
        ]
        var marks: [String: String] = [:]
        for (page, _, _) in fields { marks[page] = try await browser.get("/console/\(page)").field("shown") }
        server.clock.advance(by: .seconds(301))
        let before = try await config(server)
        for (page, name, value) in fields {
            let answer = try await browser.post("/console/\(page)", [("shown", marks[page] ?? ""), (name, value)])
            #expect(answer.location?.hasPrefix("/console/confirm") == true, "\(page): \(answer.status)")
        }
        #expect(try await config(server) == before)
    }

    @Test("the password policy is changed as one, and bad values are explained")
    func policies() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let browser = try await ConsoleClient.enroll(server)
        let strength = "passwordPolicyConfig.passwordPolicyVersions.0.customStrengthOptions."
        let fields = [
            ("passwordPolicyConfig.passwordPolicyEnforcementState", "ENFORCE"), (strength + "minPasswordLength", "10"),
            (strength + "containsNumericCharacter", "on"), ("mfa.state", "ENABLED"), ("mfa.enabledProviders.PHONE_SMS", "on"),
        ]
        let saved = try await browser.save("/console/policies", fields)
        #expect(saved.status == 303, "\(saved.html)")
        let now = try await config(server)
        let options = now["passwordPolicyConfig"]?["passwordPolicyVersions"]?[0]?["customStrengthOptions"]
        #expect(options?["minPasswordLength"] == 10 && options?["containsNumericCharacter"] == true)
        #expect(now["mfa"]?["state"] == "ENABLED" && now["mfa"]?["enabledProviders"]?[0] == "PHONE_SMS")
        #expect(try await browser.save("/console/policies", [(strength + "minPasswordLength", "many")]).status == 400)
        #expect(try await browser.get("/console/policies").html.contains("value=\"10\""))
    }

    @Test("a provider is added, changed and removed, and its secret is never shown", arguments: Engine.allCases)
    func providers(engine: Engine) async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment, on: engine)
        let browser = try await ConsoleClient.enroll(server)
        _ = try await browser.get("/console/methods")
        let added = try await browser.post("/console/methods", [("do", "add"), ("provider", "github.com")])
        #expect(added.location == "/console/providers/github.com")
        let fields = [("enabled", "on"), ("clientId", "an-app"), ("clientSecret", "a-very-secret-text")]
        let saved = try await browser.save("/console/providers/github.com", fields)
        #expect(saved.status == 303, "\(saved.html)")
        let page = try await browser.get("/console/providers/github.com")
        #expect(page.html.contains("an-app") && !page.html.contains("a-very-secret-text"))
        // An empty field keeps the secret.
        let kept = [("enabled", "on"), ("clientId", "an-app"), ("clientSecret", "")]
        _ = try await browser.save("/console/providers/github.com", kept)
        let stored = try await config(server, "defaultSupportedIdpConfigs/github.com")
        #expect(stored["clientSecret"] == "a-very-secret-text")
        let viewer = try await ConsoleClient.enroll(server, role: .viewer)
        _ = try await viewer.get("/console/methods")
        #expect(try await !viewer.get("/console/providers/github.com").html.contains("a-very-secret-text"))
        #expect(try await viewer.post("/console/providers/github.com", fields).status == 403)
        let removed = try await browser.post("/console/providers/github.com", [("do", "delete"), ("confirmed", "yes")])
        #expect(removed.location == "/console/methods?done=deleted")
        #expect(try await config(server, "defaultSupportedIdpConfigs/github.com")["error"] != nil)
    }

    @Test("tenants are made, entered and removed")
    func tenants() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let browser = try await ConsoleClient.enroll(server)
        _ = try await browser.get("/console/tenants")
        let made = try await browser.post("/console/tenants", [("do", "create"), ("name", "customers")])
        #expect(made.status == 303, "\(made.html)")
        let page = try await browser.get("/console/tenants").html
        let id = try #require(page.firstMatch(of: /users\?tenant=(customers-[a-z0-9]+)"/).map { String($0.1) })
        #expect(try await browser.get("/console/methods?tenant=\(id)").status == 200)
        let saved = try await browser.save("/console/methods", [("tenant", id), ("allowPasswordSignup", "on")])
        #expect(saved.status == 303, "\(saved.html)")
        #expect(try await config(server, "tenants/\(id)")["allowPasswordSignup"] == true)
        let delete = [("do", "delete"), ("id", id), ("confirmed", "yes")]
        #expect(try await browser.post("/console/tenants", delete).location == "/console/tenants?done=deleted")
    }

    @Test(
        "every screen of the configuration is shown",
        arguments: [
            "domains", "sms", "templates", "policies", "methods", "tenants", "service-accounts", "hooks", "configuration",
        ]
    )
    func screens(name: String) async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let browser = try await ConsoleClient.enroll(server, role: .administrator)
        #expect(try await browser.get("/console/\(name)").status == 200)
    }
}
