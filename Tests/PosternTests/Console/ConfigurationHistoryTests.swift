import Accounts
import Foundation
import Project
import Settings
import Storage
import Tenancy
import TestKit
import Testing

@testable import Server

@Suite("The history of the configuration in the console", .teardown, .timeLimit(.minutes(15)))
struct ConfigurationHistoryTests {
    private static let path = "/console/configuration"

    private func config(_ server: TestServer, _ path: String = "config") async throws -> JSONValue {
        try await server.admin("GET", "/" + path).json
    }

    // The latest change of a resource.
    private func latest(_ browser: ConsoleClient, tenant: String = "") async throws -> String {
        let html = try await browser.get(Self.path + tenant).html
        return try #require(html.firstMatch(of: /\/console\/configuration\/([A-Za-z0-9_-]+)[?"]/).map { String($0.1) })
    }

    private func takeBack(_ browser: ConsoleClient, _ id: String, tenant: String? = nil) async throws -> ConsoleClient.Page {
        let page = try await browser.get("\(Self.path)/\(id)" + (tenant.map { "?tenant=\($0)" } ?? ""))
        let mark = try #require(page.field("shown"))
        let fields = [("shown", mark), ("confirmed", "yes")] + (tenant.map { [("tenant", $0)] } ?? [])
        return try await browser.post("\(Self.path)/\(id)", fields)
    }

    @Test("a change is shown with who and when, and is taken back without later ones", arguments: Engine.allCases)
    func takingBack(engine: Engine) async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment, on: engine)
        let owner = try await ConsoleClient.enroll(server)
        // The file was applied before.
        server.clock.advance(by: .seconds(1))
        let fields = [("signIn.email.enabled", "on"), ("signIn.anonymous.enabled", "on")]
        #expect(try await owner.save("/console/methods", fields).status == 303)
        let id = try await latest(owner)
        server.clock.advance(by: .seconds(1))
        #expect(try await owner.save("/console/methods", fields + [("signIn.phoneNumber.enabled", "on")]).status == 303)
        let list = try await owner.get(Self.path).html
        #expect(list.contains("operator:owner@example.com") && list.contains("signIn.phoneNumber"))
        let page = try await owner.get("\(Self.path)/\(id)").html
        #expect(page.contains("signIn.email") && page.contains("Take this change back"))

        server.clock.advance(by: .seconds(1))
        #expect(try await takeBack(owner, id).location == "\(Self.path)?done=takenBack")
        let now = try await config(server)["signIn"]
        #expect(now?["email"]?["enabled"] != true && now?["phoneNumber"]?["enabled"] == true)
        #expect(try await server.auditDetails("configUpdated").count == 3)
        // Taking it back is a change itself, which can be taken back.
        server.clock.advance(by: .seconds(1))
        #expect(try await takeBack(owner, latest(owner)).status == 303)
        #expect(try await config(server)["signIn"]?["email"]?["enabled"] == true)
        // What was changed meanwhile is not overwritten unseen.
        let shown = try #require(try await owner.get("\(Self.path)/\(id)").field("shown"))
        _ = try await server.admin(
            "PATCH",
            "/config?updateMask=signIn.anonymous.enabled",
            ["signIn": ["anonymous": ["enabled": false]]]
        )
        #expect(try await owner.post("\(Self.path)/\(id)", [("shown", shown), ("confirmed", "yes")]).status == 409)
        #expect(try await owner.get("\(Self.path)/nothing").status == 404)
    }

    @Test("providers come back without their secrets, which the history never holds", arguments: Engine.allCases)
    func providers(engine: Engine) async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment, on: engine)
        let owner = try await ConsoleClient.enroll(server)
        let body: JSONValue = ["enabled": true, "clientId": "first", "clientSecret": "a-very-secret-text"]
        #expect(try await server.admin("POST", "/defaultSupportedIdpConfigs?idpId=github.com", body).status == 200)
        server.clock.advance(by: .seconds(1))
        let path = "/defaultSupportedIdpConfigs/github.com"
        #expect(try await server.admin("PATCH", path + "?updateMask=clientId", ["clientId": "second"]).status == 200)
        let changed = try await latest(owner)
        #expect(try await takeBack(owner, changed).status == 303)
        let back = try await config(server, "defaultSupportedIdpConfigs/github.com")
        #expect(back["clientId"] == "first" && back["clientSecret"] == "a-very-secret-text")
        server.clock.advance(by: .seconds(1))
        #expect(try await server.admin("DELETE", path).status == 200)
        let deleted = try await latest(owner)
        #expect(try await owner.get("\(Self.path)/\(deleted)").html.contains("A value that is not shown"))
        #expect(try await takeBack(owner, deleted).status == 303)
        let again = try await config(server, "defaultSupportedIdpConfigs/github.com")
        #expect(again["clientId"] == "first" && again["clientSecret"] == nil)
        let kept = try await server.core.database.read { transaction in
            try transaction.query("SELECT members FROM config_changes").map { try $0.text("members") }
        }
        #expect(kept.count >= 4 && kept.allSatisfy { !$0.contains("very-secret") && !$0.contains("sealed") })
    }

    @Test("a tenant's changes are its own, and roles that change no configuration see none")
    func roles() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        _ = try await ConsoleClient.enroll(server)
        let tenants = try await ConsoleClient.enroll(server, role: .administrator, tenantID: "acme", email: "t@example.com")
        server.clock.advance(by: .seconds(1))
        let fields = [("tenant", "acme"), ("allowPasswordSignup", "on"), ("enableAnonymousUser", "on")]
        #expect(try await tenants.save("/console/methods", fields).status == 303)
        let id = try await latest(tenants)
        #expect(try await tenants.get("\(Self.path)/project.yaml").status == 403)
        for role in [OperatorRole.support, .viewer] {
            let other = try await ConsoleClient.enroll(server, role: role)
            // Fictional numbers with their codes are among the values.
            for path in ["", "/\(id)", "/\(id)?tenant=acme", "/project.yaml"] {
                #expect(try await other.get(Self.path + path).status == 403, "\(path)")
            }
            _ = try await other.get("/console")
            #expect(try await other.post("\(Self.path)/\(id)", [("tenant", "acme"), ("confirmed", "yes")]).status == 403)
        }
        let administrator = try await ConsoleClient.enroll(server, role: .administrator)
        #expect(try await administrator.get("\(Self.path)/\(id)").status == 404, "it is not the project's")
        #expect(try await takeBack(tenants, id, tenant: "acme").status == 303)
        #expect(try await config(server, "tenants/acme")["allowPasswordSignup"] == false)
    }

    @Test("the end of a tenant that is gone is still shown")
    func deletedTenant() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let owner = try await ConsoleClient.enroll(server)
        let made = try await server.admin("POST", "/tenants", ["displayName": "brief", "allowPasswordSignup": true])
        let tenant = String(try #require(made["name"]?.string?.split(separator: "/").last))
        server.clock.advance(by: .seconds(1))
        #expect(try await server.admin("DELETE", "/tenants/\(tenant)").status == 200)
        let page = try await owner.get("\(Self.path)/\(latest(owner))")
        #expect(page.status == 200 && page.html.contains("tenant \(tenant)"), "\(page.html)")
    }

    @Test("the project file is compared with what runs, and what runs is written as such a file")
    func file() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let owner = try await ConsoleClient.enroll(server)
        #expect(try await owner.get(Self.path).html.contains("What the file says is what runs."))
        let mask = "/config?updateMask=signIn.anonymous.enabled,signIn.email.enabled"
        let signIn: JSONValue = ["signIn": ["anonymous": ["enabled": false], "email": ["enabled": true]]]
        #expect(try await server.admin("PATCH", mask, signIn).status == 200)
        let secret: JSONValue = ["enabled": true, "clientId": "c", "clientSecret": "a-very-secret-text"]
        #expect(try await server.admin("POST", "/defaultSupportedIdpConfigs?idpId=github.com", secret).status == 200)
        let page = try await owner.get(Self.path).html
        #expect(page.contains("signIn.anonymous.enabled") && !page.contains("What the file says is what runs."))
        #expect(page.contains("defaultSupportedIdpConfigs.github.com") && !page.contains("a-very-secret-text"))

        let administrator = try await ConsoleClient.enroll(server, role: .administrator)
        let file = try await administrator.get("\(Self.path)/project.yaml")
        #expect(file.status == 200 && !file.html.contains("a-very-secret-text") && file.html.contains("env:"))
        let directory = try await makeTemporaryDirectory()
        let path = directory + "/project.yaml"
        try file.html.write(toFile: path, atomically: true, encoding: .utf8)
        let name = try #require(file.html.firstMatch(of: /env: "?([A-Z0-9_]+)/).map { String($0.1) })
        let declaration = try DeclaredProject.read(path, variables: [name: "a-very-secret-text"])
        let context = CallContext(scope: .init(projectID: "demo-test"), isPrivileged: true)
        let comparison = server.core.useCases.operators.configuration.comparison
        let found = try await comparison.differences(from: declaration, context: context)
        #expect(found.changes == [] && found.additions == [])
    }
}
