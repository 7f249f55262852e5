import Accounts
import Foundation
import Project
import TestKit
import Testing

@testable import UserFiles

/// A user as the Identity Toolkit lists him to `firebase auth:export`.
private struct ListedUser: Hashable {
    struct Link: Hashable {
        let rawID: String
        var email = ""
        var name = ""
        var photo = ""
    }

    var id: String
    var email = ""
    var isVerified = false
    var hash = ""
    var salt = ""
    var name = ""
    var photo = ""
    /// By the column of the provider.
    var links: [Int: Link] = [:]
    var createdAt: Int64? = 1_600_000_000_000
    var lastLoginAt: Int64?
    var phone = ""
    var isDisabled: Bool?
    var claims = ""

    init(id: String) { self.id = id }

    /// What the importer made of a row.
    init(_ account: ImportedAccount) {
        id = account.localID
        (email, isVerified) = (account.email ?? "", account.emailVerified)
        (hash, salt) = (account.passwordHash ?? "", account.salt ?? "")
        (name, photo) = (account.displayName ?? "", account.photoURL ?? "")
        (createdAt, lastLoginAt) = (account.createdAt?.milliseconds, account.lastLoginAt?.milliseconds)
        (phone, isDisabled, claims) = (account.phoneNumber ?? "", account.isDisabled, account.customAttributes ?? "")
        for link in account.providers {
            guard let column = FirebaseCSVFormat.providers.first(where: { $0.id == link.providerID })?.column else { continue }
            links[column] = Link(
                rawID: link.rawID ?? "",
                email: link.email ?? "",
                name: link.displayName ?? "",
                photo: link.photoURL ?? ""
            )
        }
    }

    var texts: [String] { [name] + links.values.map(\.name) }

    /// As an account has it: switched off or not.
    var settled: ListedUser {
        var user = self
        user.isDisabled = isDisabled ?? false
        return user
    }
}

/// The lines that a release of Firebase's tools writes.
private enum FirebaseTools: CaseIterable {
    /// Without `disabled` and claims.
    case oldest
    case withDisabled
    /// Claims as they are.
    case withClaims
    /// Claims in quotes.
    case withQuotes
    /// All providers, and names by RFC 4180.
    case newest

    private var width: Int {
        switch self {
        case .oldest: 26
        case .withDisabled: 27
        case .withClaims, .withQuotes: 28
        case .newest: 52
        }
    }

    func line(_ user: ListedUser, end: String) -> String {
        var cells = [String](repeating: "", count: width)
        (cells[0], cells[1], cells[2]) = (user.id, user.email, user.isVerified ? "true" : "false")
        (cells[3], cells[4], cells[5], cells[6]) = (user.hash, user.salt, quoted(user.name), user.photo)
        for (column, link) in user.links where column < width {
            (cells[column], cells[column + 1]) = (link.rawID, link.email)
            (cells[column + 2], cells[column + 3]) = (quoted(link.name), link.photo)
        }
        cells[23] = user.createdAt.map { String($0) } ?? ""
        cells[24] = user.lastLoginAt.map { String($0) } ?? ""
        cells[25] = user.phone
        if width > 26 { cells[26] = user.isDisabled.map { $0 ? "true" : "false" } ?? "" }
        if width > 27, !user.claims.isEmpty { cells[27] = self == .withClaims ? user.claims : quotedClaims(user.claims) }
        return cells.map { $0 + "," }.joined() + end
    }

    private func quoted(_ text: String) -> String {
        if self == .newest {
            guard text.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return text }
            return "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\""
        }
        return text.utf8.contains(UInt8(ascii: ",")) ? "\"\(text)\"" : text
    }

    private func quotedClaims(_ text: String) -> String {
        var bytes: [UInt8] = []
        var last: UInt8?
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\""), last != UInt8(ascii: "\\") { bytes.append(byte) }
            bytes.append(byte)
            last = byte
        }
        return "\"" + String(decoding: bytes, as: UTF8.self) + "\""
    }

    /// What of a user a file of this release has.
    func exported(_ user: ListedUser) -> ListedUser {
        var user = user.settled
        if width <= 26 { user.isDisabled = false }
        if width <= 27 { user.claims = "" }
        user.links = user.links.filter { $0.key < width }
        return user
    }
}

@Suite("CSV of Firebase's tools is read by the rules of its writer")
struct FirebaseCSVTests {
    private struct Found {
        var users: [ListedUser] = []
        /// The lines of rejected rows, and why.
        var rejected: [Int: String] = [:]
    }

    private func read(_ text: String) async throws -> Found {
        try await withTemporaryDirectory { directory in
            try Data(text.utf8).write(to: URL(fileURLWithPath: directory + "/f.csv"))
            let reader = UserReader(try UserFile(directory + "/f.csv", format: .csv, now: Timestamp(seconds: 1_700_000_000)))
            var found = Found()
            var part: UserReader.Part
            repeat {
                part = try await reader.next()
                for row in part.rows {
                    do { found.users.append(ListedUser(try row.user.get().account)) } catch {
                        found.rejected[row.line] = "\(error)"
                    }
                }
            } while !part.isLast
            if let fault = part.fault { throw fault }
            return found
        }
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
    fileprivate func property(tools: FirebaseTools, end: String) async throws {
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
        "a name that begins with a quote, and names that are nothing else, swallow no row behind it",
        arguments: ["\n", "\r\n"]
    )
    func quotes(end: String) async throws {
        let users = [
            user("a", "\"Ann"), user("b"), user("c", "\""), user("d", "\"Ann\" B"), user("e", "x\"y"), user("f", "\"\""),
        ]
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
        let bomb = "a,a@b.c,true,,," + String(repeating: "\",", count: 400_000)
        let nested = "b,b@b.c,true,,," + String(repeating: "\",\"\n", count: 500)
        let found = try await read(bomb + "\n" + nested + "\n" + FirebaseTools.withQuotes.line(user("c"), end: "\n"))
        #expect(found.users == [user("c")])
    }
}

/// Random numbers that are the same at each run.
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
