import Foundation
import TestKit
import Testing

@testable import UserFiles

@Suite("CSV of Firebase's tools is read by the rules of its writer")
struct FirebaseCSVTests {
    private struct Found {
        var users: [ListedUser] = []
        /// The lines of rejected rows, and why.
        var rejected: [Int: String] = [:]
    }

    private func read(_ text: String) async throws -> Found {
        var found = Found()
        for row in try await FirebaseTools.rows(of: text) {
            do { found.users.append(ListedUser(try row.user.get().account)) } catch {
                found.rejected[row.line] = "\(error)"
            }
        }
        return found
    }

    private func user(_ id: String, _ name: String = "") -> ListedUser {
        var user = ListedUser(id: id)
        (user.email, user.hash, user.salt, user.name) = ("\(id)@example.com", "aGFzaA==", "c2FsdA==", name)
        user.isDisabled = true
        return user
    }

    private static let pieces = [
        "\"", ",", "\n", "\r", "\r\n", " ", "\\", "'", "=", ";", "\"\"", "\",\"", ", ", "a", "B", "é", "木", "Ann", "{", "}", "\t",
        "",
    ]
    private static let claims = [
        "", "{\"admin\":true}", "{\"a\":1,\"b\":[\"x\",\"y\"]}", "{\"a\":\"x\\\"\",\"b\":\"\\\\\"}",
        "{\"a\":\"\\\"\",\"n\":\"l\\nl\"}",
    ]

    private func random(_ number: Int, _ generator: inout some RandomNumberGenerator) -> ListedUser {
        func text(_ generator: inout some RandomNumberGenerator) -> String {
            if Int.random(in: 0..<3, using: &generator) == 0 { return "" }
            return (0..<Int.random(in: 1...6, using: &generator)).map { _ in Self.pieces.randomElement(using: &generator) ?? "" }
                .joined()
        }
        func photo(_ generator: inout some RandomNumberGenerator) -> String {
            switch Int.random(in: 0..<24, using: &generator) {
            case 0: "https://example.com/a,b"
            case 1: "\"photo\""
            case 2...12: "https://example.com/\(number)?s=96"
            default: ""
            }
        }
        var user = user("u\(number)", text(&generator))
        user.photo = photo(&generator)
        user.isVerified = Bool.random(using: &generator)
        user.isDisabled = [nil, true, false].randomElement(using: &generator) ?? nil
        user.lastLoginAt = Bool.random(using: &generator) ? 1_700_000_000_000 : nil
        if Int.random(in: 0..<4, using: &generator) == 0 { user.phone = "+1555555\(1000 + number % 9000)" }
        for (_, column) in FirebaseCSVFormat.providers where Int.random(in: 0..<5, using: &generator) == 0 {
            let link = ListedUser.Link(rawID: "r\(number)", email: user.email, name: text(&generator), photo: photo(&generator))
            user.links[column] = link
        }
        user.claims = Self.claims.randomElement(using: &generator) ?? ""
        return user
    }

    @Test(
        "random users of every release come back as they were, or are rejected on their own lines; none is lost, none is made up",
        arguments: FirebaseTools.allCases,
        ["\n", "\r\n"]
    )
    func property(tools: FirebaseTools, end: String) async throws {
        var generator = SeededGenerator(seed: 16)
        var users = (0..<1500).map { random($0, &generator) }
        // In a file of 53 cells the mark before a formula is Postern's.
        if tools == .newest { users.removeAll { $0.texts.contains { $0.hasPrefix("'") } } }
        let lines = users.map { tools.line($0, end: end) }
        let found = try await read(lines.joined())
        let expected = Set(users.map(tools.exported))
        #expect(found.users.filter { !expected.contains($0) } == [])
        let back = Set(found.users)
        #expect(back.count == found.users.count)
        var line = 1
        var came = 0
        for (user, text) in zip(users, lines) {
            let end = line + text.utf8.filter { $0 == 0x0A }.count
            if back.contains(tools.exported(user)) {
                came += 1
            } else {
                #expect((line..<end).contains { found.rejected[$0] != nil }, "\(text)")
            }
            line = end
        }
        // Most names are plain enough.
        #expect(came > users.count / 2, "\(came)")
    }

    @Test(
        "a name that begins with a quote, or is nothing else, swallows no row behind it",
        arguments: ["\"Ann", "\"", "\"Ann\" B", "x\"y", "\"\"", "\"Ann\""],
        ["\n", "\r\n"]
    )
    func quotes(name: String, end: String) async throws {
        var users = [user("a"), user("b", name), user("c"), user("d")]
        users[2].claims = #"{"a":"x\"","b":"\\"}"#
        let found = try await read(users.map { FirebaseTools.withQuotes.line($0, end: end) }.joined())
        #expect(found.users == users && found.rejected.isEmpty, "\(found)")
    }

    @Test("a quoted name has commas, quotes, quotes before commas and line breaks, and the row behind it is whole")
    func quotedNames() async throws {
        let users = [
            user("a", "Doe, \"J\""), user("b", "x\",\"y"), user("c", "Doe,\nJohn\n"), user("d", ",\""), user("e", "plain"),
        ]
        let found = try await read(users.map { FirebaseTools.withQuotes.line($0, end: "\n") }.joined())
        #expect(found.users == users && found.rejected.isEmpty, "\(found)")
    }

    @Test("a name with a line break outside of quotes is rejected with both of its lines, and makes no account")
    func broken() async throws {
        let users = [user("a", "Foo\nBar"), user("b")]
        let found = try await read(users.map { FirebaseTools.withQuotes.line($0, end: "\n") }.joined())
        #expect(found.users == [users[1]])
        #expect(found.rejected.keys.sorted() == [1, 2] && found.rejected[1]?.contains("the row of a ") == true, "\(found)")
    }

    @Test("a row with several readings is rejected by its name, and reading goes on with the next line")
    func several() async throws {
        let users = [user("a", "\"Ann"), user("b", "Doe, J"), user("c")]
        let found = try await read(users.map { FirebaseTools.withQuotes.line($0, end: "\n") }.joined())
        #expect(found.users == [users[1], users[2]])
        #expect(found.rejected.keys.sorted() == [1])
        #expect(found.rejected[1] == "the row of a can be read in several ways")
        // A name has an end, so that what is far behind it is none of it.
        let far = [user("a", "\"Ann")] + (0..<20).map { user("b\($0)", $0 < 3 ? "" : "Doe, J") }
        let all = try await read(far.map { FirebaseTools.withQuotes.line($0, end: "\n") }.joined())
        #expect(all.users == far && all.rejected.isEmpty, "\(all.rejected)")
    }

    @Test(
        "what is no export makes no account: every line is rejected",
        arguments: [
            "<html>\n<body class=\"a\">\n<h1>502, Bad Gateway</h1>\n</body></html>\n",
            "{\"users\":[{\"localId\":\"a\",\"email\":\"a@b.c\"}]}\n",
            "{\n\"users\": [\n{\n\"localId\": \"a\"\n}\n]\n}\n", "a;a@b.c;true;;;A;;;;;;;;;;;;;;;;;;1;1;;false;;\n",
            "a\ta@b.c\ttrue\t\t\tA\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t1\t1\t\tfalse\t\t\n", "a\n", "a,a@b.c,true\n",
            "a,a@b.c,true,,,A,,,,,,,,,,,,,,,,,,1,1\n",
            "uid,email,verified,hash,salt,name,photo,,,,,,,,,,,,,,,,,created,login,phone,disabled,claims\n",
            "a,a@b.c,true,,,\(String(repeating: ",", count: 60))\n", ",a@b.c,true,,,A,,,,,,,,,,,,,,,,,,1,1,,false,,\n",
        ]
    )
    func strangers(text: String) async throws {
        let found = try await read(text)
        #expect(found.users == [])
        #expect(found.rejected.count == text.utf8.filter { $0 == 0x0A }.count, "\(found)")
    }

    @Test("rows of tools from before there were claims or disabled users, also without the last comma")
    func older() async throws {
        let written = user("a", "Doe, J")
        for tools in [FirebaseTools.oldest, .withDisabled, .withClaims] {
            let line = tools.line(written, end: "")
            for text in [line, String(line.dropLast()), line + "\n\n"] {
                #expect(try await read(text).users == [tools.exported(written)], "\(text)")
            }
        }
    }

    @Test("a hostile row is looked at once, not once for each of its readings (RES-01)", .timeLimit(.minutes(1)))
    func hostile() async throws {
        let bomb = "a,a@b.c,true,,," + String(repeating: "\",", count: 100_000)
        let nested = "b,b@b.c,true,,," + String(repeating: "\",\"\n", count: 500)
        let found = try await read(bomb + "\n" + nested + "\n" + FirebaseTools.withQuotes.line(user("c"), end: "\n"))
        #expect(found.users == [user("c")])
    }
}
