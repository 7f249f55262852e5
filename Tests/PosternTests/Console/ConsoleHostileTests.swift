import Accounts
import Console
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

extension BrowserTests.ConsoleTasks {
    private static let setting = ConsoleStage.Setting(
        mode: .development,
        environment: ["POSTERN_CONSOLE_APPROVALS": "true", "POSTERN_CONSOLE_IMPERSONATION": "true"],
        project: ConsoleHostilePages.project
    )

    // Each of these shows a text of an attacker, or the test would prove nothing.
    private static let showing: Set = [
        "/console/users", "/console/users/{id}", "/console/audit", "/console/events", "/console/diagnosis", "/console/methods",
        "/console/providers/{id}", "/console/tenants", "/console/templates", "/console/templates/{id}", "/console/development",
        "/console/development/requests",
        "/console/approvals", "/console/configuration", "/console/configuration/{id}", "/console/operators/{id}",
    ]

    @Test("what attackers have stored is text on every screen: nothing of it runs (WEB-04)")
    func hostileTexts() async throws {
        let way = ConsoleWay(hasScripts: true)
        let stage = try await ConsoleStage.start(way, Self.setting)
        try await stage.page.callItself(ConsoleHostilePages.device)
        try await stage.enroll()
        try await ConsoleHostilePages(server: stage.server, hook: stage.hook).plant()
        let screens = try #require(Listener(core: stage.server.core).console(isPrivate: false)).templates
        let encoded = PercentEncoding.encode(ConsoleHostilePages.userID)
        let operators = try await stage.server.core.useCases.console.directory.all()
        let colleague = try #require(operators.first { $0.email != ConsoleStage.email }?.operatorID)
        var shown: Set<String> = []
        for screen in screens where ConsoleTask.withoutPage[screen] == nil {
            let id =
                switch screen {
                case "/console/operators/{id}": colleague
                case "/console/configuration/{id}": try await stage.latestChange.eventID
                case "/console/providers/{id}": ConsoleHostilePages.providerID
                case "/console/templates/{id}", "/console/templates/{id}/html": "passwordReset"
                default: encoded
                }
            // What a page is asked for is shown, too.
            for query in ["", Self.query] {
                try await stage.open(screen.replacing("{id}", with: id).replacing("{other}", with: "bob") + query)
                if try await Self.isShown(on: stage, screen) { shown.insert(screen) }
            }
        }
        #expect(shown.isSuperset(of: Self.showing), "\(Self.showing.subtracting(shown))")
    }

    private static let query: String = {
        let text = PercentEncoding.encode(ConsoleHostilePages.text)
        let names = ["q", "name", "provider", "user", "event", "address", "request", "back", "done", "email", "code", "selector"]
        return "?" + names.map { "\($0)=\(text)" }.joined(separator: "&")
    }()

    // Judges a page, and says whether a planted text is on it.
    private static func isShown(on stage: ConsoleStage, _ what: String) async throws -> Bool {
        let wrong = try await stage.look("return \(ConsoleHostilePages.intruders)")
        #expect(wrong == [], "\(what): \(wrong.text)")
        let text = try await stage.look(
            "return document.body.textContent + [...document.querySelectorAll('input')].map(e => e.value).join()"
        )
        return ["<i data-xss>", "<i/data-xss>", "onfocus=xss=1"].contains { text.string?.contains($0) == true }
    }

    @Test("what attackers say in answers and files is text on the pages that follow a form, and in what scripts add (WEB-04)")
    func hostileAnswers() async throws {
        let way = ConsoleWay(hasScripts: true)
        let stage = try await ConsoleStage.start(way, Self.setting)
        try await stage.enroll()
        try await ConsoleHostilePages(server: stage.server, hook: stage.hook).plant()
        func expectShown(_ what: String) async throws {
            let (isShown, text) = (try await Self.isShown(on: stage, what), try await stage.text)
            #expect(isShown, "\(what): \(text)")
        }

        try await stage.menu("Live events")
        try await stage.page.run(
            "0",
            once: "document.querySelector('.live [role=status]').textContent === 'New events appear as they happen.'"
        )
        stage.server.clock.advance(by: .seconds(1))
        let id = JSONValue.string("new" + ConsoleHostilePages.userID)
        #expect(try await stage.server.admin("accounts", ["localId": id]).status == 200)
        try await stage.page.run("0", once: "document.querySelector('tbody tr').textContent.includes('new§')")
        try await expectShown("live events")

        try await stage.menu("Import users")
        let row: JSONValue = ["users": [["localId": "x", "email": .string(ConsoleHostilePages.text)]]]
        try await stage.type(row.text, into: "Users")
        try await stage.press("Import")
        _ = try await Self.isShown(on: stage, "import")
        try await stage.menu("Import users")
        let file = "\(stage.downloads)/users.txt"
        let localID: JSONValue = ["users": [["localId": .string(ConsoleHostilePages.text), "email": "no address"]]]
        try localID.text.write(toFile: file, atomically: true, encoding: .utf8)
        try await stage.page.choose(file: file, in: "#upload-file")
        try await stage.press("Import", leaves: false)
        try await stage.page.run("0", once: "document.querySelector('form > ul li')")
        try await expectShown("import of a file")

        try await stage.menu("Functions and web hooks")
        try await stage.press("Send a test event")
        try await expectShown("answer of a function")

        try await stage.menu("Users")
        try await stage.type(ConsoleHostilePages.text, into: "Name begins with")
        try await stage.press("Search")
        try await expectShown("search")
        try await stage.follow("Change all that this search finds")
        try await stage.press("Count the users")
        try await expectShown("change of all that was found")
        try await stage.menu("Users")
        try await stage.tick("Select \(ConsoleHostilePages.address)")
        try await stage.press("Delete", leaves: false)
        try await stage.page.run("0", once: "document.querySelector('dialog[open]')")
        _ = try await Self.isShown(on: stage, "dialog")
    }
}
