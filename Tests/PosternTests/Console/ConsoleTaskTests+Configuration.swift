import Accounts
import Project
import Storage
import Tenancy
import TestKit
import Testing

@testable import Server

extension ConsoleStage {
    /// The project's configuration as backends read it.
    var config: JSONValue {
        get async throws { try await server.admin("GET", "/config").json }
    }

    /// What a new user is told.
    func signUp(_ email: String, _ password: String = "secret-1") async throws -> String {
        // What was read of the configuration before is kept for a second.
        server.clock.advance(by: .seconds(2))
        return TestServer.outcome(try await server.call("signUp", ["email": .string(email), "password": .string(password)]))
    }

    /// The latest change of the configuration.
    var latestChange: ConfigChangeRecord {
        get async throws {
            let context = CallContext(scope: Self.scope, isPrivileged: true)
            return try #require(try await server.core.useCases.operators.configuration.history.changes(context).first)
        }
    }
}

extension ConsoleTask {
    static let configuration = [
        ConsoleTask("/methods", "users may no longer sign up themselves") { stage in
            stage.server.clock.advance(by: .seconds(1))
            try await stage.menu("Sign-in methods")
            try await stage.tick("Users cannot sign up themselves")
            try await stage.press("Save")
            #expect(try await stage.signUp("early@example.com").hasPrefix("ADMIN_ONLY_OPERATION"))
        },
        ConsoleTask("/configuration", "the latest change is shown with who made it") { stage in
            try await stage.menu("Configuration")
            let rows = try await stage.look("return text(all('tbody tr', null)[0])").string ?? ""
            let change = try await stage.latestChange
            #expect(change.actor == ConsoleStage.actor && rows.contains("client \(change.actor)"), "\(rows)")
        },
        ConsoleTask("/configuration/{id}", "the change is taken back") { stage in
            let time = String(try await stage.latestChange.changedAt.rfc3339.dropLast(8)).replacing("T", with: " ")
            try await stage.menu("Configuration")
            try await stage.follow(time, in: ConsoleStage.actor)
            try await stage.pressTwice("Take this change back")
            #expect(try await stage.signUp("late@example.com") == "200")
        },
        ConsoleTask("/providers/{id}", "a provider is added") { stage in
            try await stage.menu("Sign-in methods")
            try await stage.choose("github.com", from: "Kind of provider")
            try await stage.press("Add a provider")
            try await stage.type("an-app", into: "Client id")
            try await stage.type("a-very-secret-text", into: "Client secret")
            try await stage.press("Save")
            let stored = try await stage.server.admin("GET", "/defaultSupportedIdpConfigs/github.com").json
            #expect(stored["clientId"] == "an-app" && stored["clientSecret"] == "a-very-secret-text")
            #expect(stored["enabled"] == true)
        },
        ConsoleTask("/policies", "short passwords are refused from now on") { stage in
            #expect(try await stage.signUp("short@example.com", "secret-1") == "200")
            try await stage.menu("Second factors and passwords")
            try await stage.choose("Enforced", from: "Password policy")
            try await stage.type("10", into: "Shortest password")
            try await stage.press("Save")
            let outcome = try await stage.signUp("shorter@example.com", "secret-1")
            #expect(outcome.hasPrefix("PASSWORD_DOES_NOT_MEET_REQUIREMENTS"), "\(outcome)")
        },
        ConsoleTask("/domains", "the domains of apps are set") { stage in
            try await stage.menu("Authorized domains")
            try await stage.type("app.example.com\nshop.example.com", into: "Domains, one a line")
            try await stage.press("Save")
            let domains = try await stage.config["authorizedDomains"]?.array ?? []
            #expect(domains.contains("shop.example.com") && !domains.contains("localhost"), "\(domains)")
        },
        ConsoleTask("/sms", "a test message is sent") { stage in
            try await stage.menu("Text messages")
            try await stage.type("+1 (650) 555-1234", into: "Phone number", in: "Send a test message")
            try await stage.press("Send a test message")
            let call = await stage.hook.call(1)
            #expect(call.path == "/sms" && call.json["to"] == "+16505551234")
        },
        ConsoleTask("/templates", "the subject of a message is changed") { stage in
            try await stage.menu("E-mail templates")
            try await stage.type("Is it you?", into: "Address verification: subject")
            try await stage.press("Save")
            let template = try await stage.config["notification"]?["sendEmail"]?["verifyEmailTemplate"]
            #expect(template?["subject"] == "Is it you?")
        },
        ConsoleTask("/templates/{id}", "a message is looked at and sent to the operator") { stage in
            try await stage.menu("E-mail templates")
            try await stage.follow("Address verification")
            try await stage.follow("en")
            #expect(try await stage.fact("Subject") == "Is it you?")
            try await stage.press("Send a test mail to \(ConsoleStage.email)")
            try await eventually { stage.server.log.lines.contains { $0.contains(ConsoleStage.email) } }
            #expect(try await stage.deeds("testMailSent") == 1)
        },
        ConsoleTask("/templates/{id}/html", "the message is shown as its reader sees it") { stage in
            try await stage.open("/console/templates/verifyEmail")
            let frame = try await stage.look("return new URL(document.querySelector('iframe').src).pathname")
            #expect(frame == "/console/templates/verifyEmail/html")
            try await stage.open("/console/templates/verifyEmail/html?language=de")
            let shown = try await stage.look("return [document.documentElement.lang, document.links[0].href]")
            #expect(shown.array?.first == "de" && shown.array?.last?.string?.contains("oobCode=sample") == true)
        },
        ConsoleTask("/tenants", "a tenant is made, entered and deleted") { stage in
            try await stage.open("/console/tenants")
            try await stage.type("customers", into: "Name")
            try await stage.press("Create a tenant")
            func id() async throws -> String? {
                let tenants = try await stage.server.admin("GET", "/tenants").json["tenants"]?.array ?? []
                let name = tenants.first { $0["displayName"] == "customers" }?["name"]?.string
                return name?.split(separator: "/").last.map(String.init)
            }
            let tenant = try #require(try await id())
            try await stage.follow("Sign-in methods", in: tenant)
            try await stage.tick("E-mail and password")
            try await stage.press("Save")
            #expect(try await stage.server.admin("GET", "/tenants/\(tenant)").json["allowPasswordSignup"] == true)
            try await stage.menu("Tenants")
            try await stage.pressTwice("Delete", in: tenant)
            #expect(try await id() == nil)
        },
        ConsoleTask("/hooks", "a function is set and asked") { stage in
            try await stage.open("/console/hooks")
            try await stage.type(stage.hook.origin + "/before", into: "Function before a sign-in")
            try await stage.press("Save")
            try await stage.press("Send a test event", in: "/before")
            try await stage.sees("It answered with status 200.")
            #expect(stage.hook.calls.contains { $0.path == "/before" && $0.json["data"]?["jwt"] != nil })
        },
        ConsoleTask("/service-accounts", "a token is made, and opens what it says") { stage in
            try await stage.menu("Service accounts and tokens")
            try await stage.type("ci", into: "Name", in: "Create a token")
            try await stage.tick("Read accounts and configuration")
            try await stage.press("Create a token")
            let token = try await stage.code("Token")
            #expect(try await stage.server.admin("GET", "/config", token: token).status == 200)
            #expect(try await stage.server.admin("POST", "/tenants", [:], token: token).status == 403)
        },
        ConsoleTask("/configuration/project.yaml", "what runs is downloaded") { stage in
            try await stage.menu("Configuration")
            let file = try await stage.download(by: "Download what runs as a project file", "project.yaml")
            #expect(file.contains("shop.example.com") && file.contains("an-app") && !file.contains("a-very-secret-text"))
        },
    ]
}
