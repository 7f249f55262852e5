import Accounts
import Console
import Foundation
import Project
import Storage
import Tenancy
import TestKit
import Testing

@testable import Server

@Suite("Rights in the console", .teardown, .timeLimit(.minutes(15)))
struct ConsoleRightsTests {
    private static let people: [(role: OperatorRole, tenantID: String?)] =
        [(.viewer, "acme"), (.support, "acme"), (.administrator, "acme")] + OperatorRole.allCases.map { ($0, nil) }

    private static let environment = ConsoleClient.environment.merging(["POSTERN_CONSOLE_IMPERSONATION": "true"]) { $1 }

    private func templates(_ server: TestServer) throws -> [String] {
        try #require(Listener(core: server.core).console(isPrivate: false)).templates
    }

    private func path(_ screen: String, _ changeID: String = "none") -> String {
        let id =
            switch screen {
            case "/console/configuration/{id}": changeID
            case "/console/providers/{id}": "oidc.test"
            case "/console/templates/{id}", "/console/templates/{id}/html": "passwordReset"
            case "/console/operators/{id}": "nobody"
            default: "ada"
            }
        return screen.replacing("{id}", with: id).replacing("{other}", with: "bob")
    }

    // A page that nobody has is refused to those who could not see it otherwise, too.
    private func isAllowed(_ page: ConsoleClient.Page) -> Bool { page.status != 403 }

    @Test("each role sees the screens that it may see, and no other", arguments: people.indices)
    func looking(person: Int) async throws {
        let (role, tenantID) = Self.people[person]
        let server = try await TestServer.start(environment: Self.environment)
        #expect(try await server.admin("accounts", ["localId": "ada"]).status == 200)
        let browser = try await ConsoleClient.enroll(server, role: role, tenantID: tenantID)
        #expect(try Set(templates(server)) == Set(ConsoleRights.looking.keys))
        // Its answer does not end; whoever may see the page of events may follow it.
        for (screen, rights) in ConsoleRights.looking where screen != "/console/events/stream" {
            let page = try await browser.get(path(screen))
            #expect(isAllowed(page) == rights.allow(role, ofTenant: tenantID != nil), "\(screen): \(page.status)")
            let stranger = try await server.client.get(path(screen))
            #expect((stranger.status == 303) == (rights.least != nil), "\(screen): \(stranger.status)")
        }
    }

    @Test("each role does what it may do, and nothing else", arguments: people.indices)
    func acting(person: Int) async throws {
        let (role, tenantID) = Self.people[person]
        let server = try await TestServer.start(environment: Self.environment)
        #expect(try await server.admin("accounts", ["localId": "ada"]).status == 200)
        if role != .owner { _ = try await ConsoleClient.enroll(server) }
        let browser = try await ConsoleClient.enroll(server, role: role, tenantID: tenantID)
        _ = try await browser.get("/console/profile")
        #expect(try Set(templates(server)) == Set(ConsoleRights.acting.map(\.screen)))
        for action in ConsoleRights.acting {
            let what = "\(action.screen) \(action.fields)"
            let token = ("X-Console-Form", browser.formToken ?? "")
            let headers = ConsoleClient.ownHeaders(server) + [token]
            let page = try await browser.post(path(action.screen), action.fields, headers: headers)
            #expect(isAllowed(page) == action.rights.allow(role, ofTenant: tenantID != nil), "\(what): \(page.status)")
            if action.screen == "/console/sign-out" { continue }
            #expect(page.location?.hasPrefix("/console/sign-in") != true, "\(what)")
        }
        let left = browser.cookie
        #expect(left == nil, "signing out is the last")
    }

    @Test("strangers do nothing")
    func strangers() async throws {
        let server = try await TestServer.start(environment: Self.environment)
        _ = try await ConsoleClient.enroll(server)
        let headers = [("Content-Type", "application/x-www-form-urlencoded")] + ConsoleClient.ownHeaders(server)
        for action in ConsoleRights.acting where action.rights.least != nil {
            let body = Data(TestClient.encode(action.fields).utf8)
            let answer = try await server.client.send("POST", path(action.screen), headers: headers, body: body)
            let location = answer.header("Location") ?? ""
            #expect(answer.status == 303 && location.hasPrefix("/console/sign-in"), "\(action.screen) \(action.name)")
        }
    }

    @Test("every form that an owner is shown is known to these tests")
    func forms() async throws {
        let server = try await TestServer.start(environment: Self.environment)
        let user: JSONValue = ["localId": "ada", "email": "ada@example.com", "phoneNumber": "+15555550100"]
        #expect(try await server.admin("accounts", user).status == 200)
        let owner = try await ConsoleClient.enroll(server)
        let context = CallContext(scope: Scope(projectID: "demo-test"), isPrivileged: true)
        let change = try await server.core.useCases.operators.configuration.history.changes(context).first?.eventID
        var found = 0
        for screen in try templates(server) where screen != "/console/events/stream" {
            let html = try await owner.get(path(screen, change ?? "")).html
            for form in html.split(separator: "<form ").dropFirst() where form.contains("method=\"post\"") {
                let form = form.prefix(upTo: form.range(of: "</form>")?.lowerBound ?? form.endIndex)
                let action = form.firstMatch(of: /action="([^"]*)"/).map { String($0.1) } ?? ""
                let names = form.matches(of: /name="(?:do|way)" value="([^"]*)"/).map { String($0.1) }
                for name in names.isEmpty ? [""] : names {
                    let isKnown = ConsoleRights.acting.contains {
                        [path($0.screen, change ?? ""), path($0.screen)].contains(action)
                            && ($0.name == name || name == "passkey" && $0.name == "password")
                    }
                    #expect(isKnown, "\(action) \(name)")
                    found += 1
                }
            }
        }
        #expect(found > 60)
    }
}
