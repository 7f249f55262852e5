import Accounts
import Foundation
import Project
import TestKit
import Testing

@testable import Server

@Suite("Forms of the console that were overtaken", .teardown, .timeLimit(.minutes(15)))
struct StaleFormTests {
    private func config(_ server: TestServer, _ path: String = "config") async throws -> JSONValue {
        try await server.admin("GET", "/" + path).json
    }

    @Test("do not undo another operator's change, and show the values of now", arguments: Engine.allCases)
    func settings(engine: Engine) async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment, on: engine)
        let first = try await ConsoleClient.enroll(server)
        let second = try await ConsoleClient.enroll(server, role: .administrator)
        let old = try #require(try await first.get("/console/methods").field("shown"))
        let fields = [("signIn.email.enabled", "on"), ("signIn.anonymous.enabled", "on")]
        #expect(try await second.save("/console/methods", fields + [("signIn.phoneNumber.enabled", "on")]).status == 303)

        let refused = try await first.post("/console/methods", [("shown", old)] + fields)
        #expect(refused.status == 409 && refused.html.contains("Somebody else has changed these values"))
        // What the form would have undone is named, and the new mark is there for another try.
        #expect(refused.html.contains("<li>Phone number</li>") || refused.html.contains("Phone number"))
        #expect(try await config(server)["signIn"]?["phoneNumber"]?["enabled"] == true)
        let mark = try #require(refused.field("shown"))
        #expect(mark != old)
        #expect(try await first.post("/console/methods", [("shown", mark)] + fields).status == 303)
        #expect(try await config(server)["signIn"]?["phoneNumber"]?["enabled"] != true)
        // A form without the mark is none of the console's.
        #expect(try await first.post("/console/methods", []).status == 409)
    }

    @Test("of providers and tenants are refused as well")
    func providers() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let browser = try await ConsoleClient.enroll(server)
        let path = "/console/providers/oidc.test"
        let old = try #require(try await browser.get(path).field("shown"))
        let changed = try await server.admin(
            "PATCH",
            "/oauthIdpConfigs/oidc.test?updateMask=displayName",
            ["displayName": "New"]
        )
        #expect(changed.status == 200)
        let fields = [("shown", old), ("enabled", "on"), ("clientId", "mine")]
        #expect(try await browser.post(path, fields).status == 409)
        #expect(try await config(server, "oauthIdpConfigs/oidc.test")["clientId"]?.string == TestServer.oidcClient)
        // Somebody else has made the provider that this form was to make.
        let new = "/console/providers/github.com"
        let fresh = try #require(try await browser.get(new).field("shown"))
        let body: JSONValue = ["enabled": false, "clientId": "theirs", "clientSecret": "s"]
        #expect(try await server.admin("POST", "/defaultSupportedIdpConfigs?idpId=github.com", body).status == 200)
        #expect(try await browser.post(new, [("shown", fresh), ("enabled", "on"), ("clientId", "ours")]).status == 409)
        // And removed it again, while a form shows it.
        let shown = try #require(try await browser.get(new).field("shown"))
        #expect(try await server.admin("DELETE", "/defaultSupportedIdpConfigs/github.com").status == 200)
        #expect(try await browser.post(new, [("shown", shown), ("enabled", "on"), ("clientId", "ours")]).status == 409)

        let tenant = [("tenant", "acme"), ("enableAnonymousUser", "on")]
        let before = try #require(try await browser.get("/console/methods?tenant=acme").field("shown"))
        #expect(try await browser.save("/console/methods", tenant + [("allowPasswordSignup", "on")]).status == 303)
        #expect(try await browser.post("/console/methods", [("shown", before)] + tenant).status == 409)
        #expect(try await config(server, "tenants/acme")["allowPasswordSignup"] == true)
    }
}
