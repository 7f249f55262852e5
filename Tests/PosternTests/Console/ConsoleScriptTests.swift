import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

extension BrowserTests.Console {
    @Test("events appear as they happen, until the operator pauses them")
    func liveEvents() async throws {
        let (server, browser) = try await start()
        let page = try await enroll(server, browser)
        try await page.navigate(address(server, "/console/events"))
        let status = "document.querySelector('.live [role=status]')?.textContent"
        try await page.run("0", once: "\(status) === 'New events appear as they happen.'")
        server.clock.advance(by: .seconds(1))
        let hostile = "<img src=x onerror=alert(1)>"
        let body: JSONValue = ["localId": .string(hostile)]
        #expect(try await server.admin("accounts", body).status == 200)
        let found = try await page.run("document.querySelector('tbody tr').innerText", once: Self.hasRow("<img src=x"))
        #expect(found.string?.contains("create") == true || found.string?.contains("signUp") == true, "\(found.text)")
        #expect(try await page.run("document.querySelectorAll('tbody img').length") == 0)
        try await page.click(".live button")
        try await page.run("0", once: "document.querySelector('.live button').textContent === 'Resume'")
        server.clock.advance(by: .seconds(1))
        #expect(try await server.admin("accounts", ["localId": "later"]).status == 200)
        try await page.click(".live button")
        try await page.run("0", once: Self.hasRow("later"))
    }

    private static func hasRow(_ text: String) -> String {
        "[...document.querySelectorAll('tbody tr')].some(row => row.innerText.includes('\(text)'))"
    }

    @Test("a file is imported with a bar that shows how far it is")
    func fileImport() async throws {
        let (server, browser) = try await start()
        let page = try await enroll(server, browser)
        try await page.navigate(address(server, "/console/imports"))
        // More than one piece.
        try await page.run(
            """
            const rows = [...Array(12000).keys()].map(n => JSON.stringify({
              localId: 'u' + n, email: n === 7 ? '<b>' : 'u' + n + '@example.com', displayName: 'x'.repeat(40) }));
            const data = new DataTransfer();
            data.items.add(new File(['{"users": [' + rows.join(',\\n') + ']}'], 'users.json'));
            document.querySelector('#upload-file').files = data.files;
            document.querySelector('input[name=dryRun]').checked = false; 0
            """,
            once: "document.querySelector('#upload-file')"
        )
        try await page.click("form[data-upload] button[type=submit]")
        let status = "document.querySelector('form [role=status]').textContent"
        try await page.run("0", once: "/11.999.? imported, 0 had been/.test(\(status))")
        let items = try await page.run("document.querySelector('form > ul').innerText")
        #expect(items.string?.contains("row 8, line 8 (u7)") == true)
        #expect(try await page.run("document.querySelector('progress').value") == 1)
        let scope = Scope(projectID: "demo-test")
        #expect(try await server.core.database.read { try $0.account(scope, localID: "u11999") } != nil)
    }

    @Test("a change of all users that were found goes on by itself")
    func bulkChange() async throws {
        let (server, browser) = try await start()
        for number in 0..<150 {
            let body: JSONValue = ["localId": .string("u\(number)"), "email": .string("u\(number)@example.com")]
            #expect(try await server.admin("accounts", body).status == 200)
        }
        let page = try await enroll(server, browser)
        try await page.navigate(address(server, "/console/users/bulk?q=u"))
        try await page.click("main form button[type=submit]")
        try await page.click("main form button.danger")
        try await page.click("dialog[open] button.danger")
        try await page.run("0", once: "document.querySelector('main .notice.success')")
        let scope = Scope(projectID: "demo-test")
        let states = try await server.core.database.read { transaction in
            try (0..<150).map { try transaction.account(scope, localID: "u\($0)")?.isDisabled }
        }
        #expect(states.allSatisfy { $0 == true })
    }
}
