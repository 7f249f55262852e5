import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

extension ConsoleStage {
    /// An account as the store has it.
    func account(_ localID: String) async throws -> AccountRecord? {
        try await server.core.database.read { try $0.account(Self.scope, localID: localID) }
    }

    /// Makes users as a backend does.
    func make(_ users: String...) async throws {
        for user in users {
            let answer = try await server.admin("accounts", ["localId": .string(user), "email": .string("\(user)@example.com")])
            #expect(answer.status == 200, "\(answer.json.text)")
        }
    }

    /// Finds users by the beginning of their addresses.
    func find(_ beginning: String) async throws {
        try await menu("Users")
        try await type(beginning, into: "E-mail, phone number or id")
        try await press("Search")
    }
}

extension ConsoleTask {
    static let usersSetting = ConsoleStage.Setting(environment: ["POSTERN_CONSOLE_IMPERSONATION": "true"])

    static let users = [
        ConsoleTask("/users/new", "a user is made and signs in") { stage in
            try await stage.menu("Users")
            try await stage.follow("Create a user")
            try await stage.type("grace@example.com", into: "E-mail")
            try await stage.tick("Address is verified")
            try await stage.type("secret-1", into: "Password")
            try await stage.type("Grace", into: "Name")
            try await stage.type("grace", into: "Id")
            try await stage.press("Create a user")
            let account = try #require(try await stage.account("grace"))
            #expect(account.displayName == "Grace" && account.emailVerified == true)
            #expect(try await stage.server.signIn("grace@example.com").status == 200)
        },
        ConsoleTask("/users", "users are found, chosen and disabled") { stage in
            try await stage.make("amy", "ann", "bob")
            try await stage.find("a")
            for user in ["amy", "ann"] { try await stage.tick("Select \(user)@example.com") }
            try await stage.press("Disable")
            for user in ["amy", "ann", "bob"] {
                #expect(try await stage.account(user)?.isDisabled == (user != "bob"), "\(user)")
            }
        },
        ConsoleTask("/users/{id}", "claims and name of a user are changed, and all sessions end") { stage in
            let session = try stage.server.session(try await stage.server.signIn("grace@example.com"))
            stage.server.clock.advance(by: .seconds(1))
            try await stage.find("grace")
            try await stage.follow("grace@example.com")
            try await stage.unfold("Custom claims")
            try await stage.type(#"{"plan": "gold"}"#, into: "Custom claims")
            try await stage.press("Save", in: "A JSON object.")
            try await stage.unfold("Change the profile")
            try await stage.type("Grace Hopper", into: "Name")
            try await stage.press("Save", in: "Address of the picture")
            try await stage.pressTwice("End all sessions")
            let user = try #require(try await stage.server.user("grace"))
            let claims = try JSONValue.parse((user["customAttributes"]?.string ?? "").utf8)
            #expect(claims["plan"] == "gold" && user["displayName"] == "Grace Hopper")
            #expect(try await stage.server.refresh(session.refreshToken).status == 400)
        },
        ConsoleTask("/users/{id}/compare/{other}", "who has what a user wanted to link is found, and a number is unlinked there")
        { stage in
            let number: JSONValue = ["localId": "holder", "email": "holder@example.com", "phoneNumber": "+15555550177"]
            #expect(try await stage.server.admin("accounts", number).status == 200)
            let guest = try stage.server.session(try await stage.server.call("signUp", [:]))
            let link: JSONValue = [
                "email": "holder@example.com", "password": "secret-1", "idToken": .string(guest.idToken),
            ]
            #expect(try await stage.server.call("signUp", link).errorMessage == "EMAIL_EXISTS")
            await stage.server.recordRefusals()
            try await stage.open("/console/users/\(guest.localID)")
            try await stage.follow("Compare with holder")
            try await stage.pressTwice("Unlink", in: "phone")
            let account = try await stage.account("holder")
            #expect(account != nil && account?.phoneNumber == nil)
        },
        ConsoleTask("/users/bulk", "all users that a search finds are counted and deleted") { stage in
            try await stage.make("old-1", "old-2", "old-3")
            try await stage.find("old-")
            try await stage.follow("Change all that this search finds")
            try await stage.choose("Delete", from: "Action")
            try await stage.press("Count the users")
            #expect(try await stage.fact("Users found") == "3")
            try await stage.pressTwice("Delete all that were found (3)")
            try await stage.sees("All users that were found have been changed.")
            for number in 1...3 { #expect(try await stage.account("old-\(number)") == nil) }
            #expect(try await stage.account("bob") != nil)
        },
        ConsoleTask("/users/{id}/impersonate", "the operator signs in as a user, and the token says so") { stage in
            let registry = CustomTokenTests.Minter.registry(of: stage.server)
            _ = try await registry.createHeld("minter", sealer: stage.server.core.keys.sealer)
            // What was read of the accounts before is kept for a second.
            stage.server.clock.advance(by: .seconds(2))
            try await stage.find("grace")
            try await stage.follow("grace@example.com")
            try await stage.follow("Sign in as a user")
            try await stage.type("ticket 7", into: "Reason")
            try await stage.pressTwice("Make the token")
            let token = try await stage.code("Custom token")
            let answer = try await stage.server.call("signInWithCustomToken", ["token": .string(token)])
            let claims = try decode(try #require(answer["idToken"]?.string, "\(answer.errorMessage ?? "")"), 1)
            #expect(claims["sub"] == "grace" && claims["act"]?["sub"]?.string == ConsoleStage.actor)
        },
        ConsoleTask("/imports", "a pasted text is tried, then imported") { stage in
            try await stage.menu("Import users")
            let text = #"{"users": [{"localId": "pasted", "email": "pasted@example.com"}]}"#
            try await stage.type(text, into: "Users")
            try await stage.press("Import")
            try await stage.sees("1 would be imported")
            #expect(try await stage.account("pasted") == nil)
            try await stage.menu("Import users")
            try await stage.type(text, into: "Users")
            try await stage.tick("Dry run")
            try await stage.press("Import")
            #expect(try await stage.account("pasted")?.email == "pasted@example.com")
        },
        ConsoleTask("/imports/upload", "a file of several pieces is imported") { stage in
            try await stage.menu("Import users")
            let picture = String(repeating: "x", count: 2000)
            let rows = (0..<600).map { #"{"localId": "file-\#($0)", "photoUrl": "\#(picture)"}"# }
            let file = "\(stage.downloads)/users.txt"
            try (#"{"users": ["# + rows.joined(separator: ",\n") + "]}").write(toFile: file, atomically: true, encoding: .utf8)
            try await stage.page.choose(file: file, in: "#upload-file")
            try await stage.tick("Dry run")
            try await stage.press("Import", leaves: false)
            let status = "document.querySelector('form [role=status]').textContent"
            try await stage.page.run("0", once: "/^600 rows: 600 imported/.test(\(status))")
            #expect(try await stage.account("file-599")?.photoURL == picture)
        },
        ConsoleTask("/exports", "a file with the users comes, and with hashes after a question") { stage in
            try await stage.menu("Export users")
            try await stage.choose("CSV for firebase auth:import", from: "Format")
            try await stage.press("Download", leaves: false)
            let plain = String(decoding: try await stage.downloaded("users.csv"), as: UTF8.self)
            #expect(plain.contains("grace@example.com") && plain.contains("bob@example.com"))
            try await stage.unfold("Download with password hashes")
            try await stage.choose("JSON for another Postern", from: "Format", in: "Keep this file safe")
            try await stage.pressTwice("Download with password hashes", in: "Keep this file safe", leaves: false)
            let users = try JSONValue.parse(try await stage.downloaded("users.json"))["users"]?.array ?? []
            let grace = try #require(users.first { $0["localId"] == "grace" })
            let hash = try #require(grace["passwordHash"]?.string, "\(grace.text)")
            #expect(!hash.isEmpty && !plain.contains(hash))
        },
        ConsoleTask("/diagnosis", "a refused sign-in is found by its request") { stage in
            let refused = try await stage.server.signIn("grace@example.com", password: "wrong")
            let request = try #require(refused.header("X-Request-Id"))
            await stage.server.recordRefusals()
            try await stage.menu("Why did a sign-in fail?")
            try await stage.type(request, into: "Request id")
            try await stage.press("Search")
            let rows = try await stage.look("return all('tbody tr', null).map(text)").array?.compactMap(\.string)
            let code = try #require(refused.errorMessage)
            #expect(rows?.count == 1 && rows?.first?.contains(code) == true && rows?.first?.contains(request) == true)
        },
        ConsoleTask("", "the days are counted as the store has them") { stage in
            await stage.server.core.useCases.dailyCounts.write()
            let context = CallContext(scope: ConsoleStage.scope, isPrivileged: true)
            let overview = try await stage.server.core.useCases.operators.overview.read(span: 30, tenantID: nil, context: context)
            let total = overview[.signIns].flatMap(\.values).reduce(0, +)
            try await stage.menu("Overview")
            try await stage.follow("30 days")
            let shown = try await stage.look(
                "return text(all('figure', null).find(e => text(e.querySelector('figcaption')).startsWith('Sign-ins')))"
            )
            #expect(total > 0 && shown.string?.contains("\(total) in total") == true, "\(shown.text)")
        },
    ]
}
