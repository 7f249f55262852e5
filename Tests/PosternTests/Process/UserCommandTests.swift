import Foundation
import Project
import TestKit
import Testing

@Suite("postern users", .teardown, .timeLimit(.minutes(15)))
struct UserCommandTests {
    private static let project = "config: {signIn: {anonymous: {enabled: true}, email: {enabled: true}}}"

    private func makeUsers(_ rows: [JSONValue]) async throws -> CommandPlace {
        let place = try await CommandPlace.make(project: Self.project)
        try await place.serving { _ in }
        try place.write(JSONValue.object(["users": .array(rows)]).text, to: "users.json")
        #expect(try await place.json(["users", "import", "users.json"])["rejected"] == 0)
        return place
    }

    @Test("address, number, name, picture, claims and password are changed by the API's rules, and the audit trail says so")
    func changes() async throws {
        let place = try await makeUsers([["localId": "ada", "email": "ada@b.c"], ["localId": "eve", "email": "eve@b.c"]])
        let update = ["users", "update", "ada@b.c", "--email", "Ada@example.com", "--verified"]
        let profile = ["--phone", "+15555550100", "--display-name", "Ada Lovelace", "--photo-url", "https://b.c/ada.png"]
        let changed = try await place.json(update + profile)
        #expect(changed["email"] == "ada@example.com" && changed["emailVerified"] == true)
        #expect(changed["phoneNumber"] == "+15555550100" && changed["photoUrl"] == "https://b.c/ada.png")
        let cleared = try await place.json(["users", "update", "ada", "--phone", "", "--no-verified"])
        #expect(cleared["phoneNumber"] == nil && cleared["emailVerified"] == false)
        #expect(cleared["displayName"] == "Ada Lovelace")
        for (arguments, input, reason) in [
            (["update", "ada", "--email", "eve@b.c"], "", "EMAIL_EXISTS: another account has this address"),
            (["update", "ada", "--phone", "12"], "", "INVALID_PHONE_NUMBER: the number is malformed"),
            (["set-claims", "ada", #"{"sub":"x"}"#], "", "FORBIDDEN_CLAIM: the name of a custom claim is reserved (sub)"),
            (["set-claims", "ada", ""], "", "INVALID_CLAIMS: custom claims are no JSON object"),
            (["set-password", "ada"], "short", "WEAK_PASSWORD: the password is too short"),
            (["set-password", "ada"], "", "standard input has no password"),
            (["set-password", "nobody"], "secret-1", "there is no user nobody"),
        ] {
            let (code, text) = try await place.run(["users"] + arguments, input: input)
            #expect(code == 1 && text.contains(reason), "\(arguments): \(text)")
        }
        let long = String(repeating: "n", count: 257)
        for wrong in [["update", "ada"], ["update", "ada", "--display-name", long], ["create", "--display-name", long]] {
            #expect(try await place.run(["users"] + wrong).code != 0, "\(wrong)")
        }
        let editor = #"{"role":"editor"}"#
        #expect(try await place.json(["users", "set-claims", "ada", editor])["customAttributes"]?.string == editor)
        let (code, text) = try await place.run(["users", "set-password", "ada"], input: "secret-1\n")
        #expect(code == 0, "\(text)")
        try await place.serving { client async throws in
            let body: JSONValue = ["email": "ada@example.com", "password": "secret-1"]
            let session = try await client.post("/v1/accounts:signInWithPassword?key=k", body)
            let parts = (session["idToken"]?.string ?? "").split(separator: ".")
            let payload = try #require(parts.dropFirst().first)
            let claims = try JSONValue.parse(try #require(Base64URL.decode(payload.utf8)))
            #expect(claims["role"] == "editor")
            #expect(try await place.run(["users", "set-password", "ada"], input: "secret-2").code == 0)
            let form = [("grant_type", "refresh_token"), ("refresh_token", session["refreshToken"]?.string ?? "")]
            #expect(try await client.post("/v1/token?key=k", form: form).errorMessage == "TOKEN_EXPIRED")
        }
        #expect(try await place.json(["users", "set-claims", "ada", "{}"])["customAttributes"] == "{}")
        let events = try await place.json(["audit", "--user", "ada", "--event", "update"])["events"]?.array ?? []
        #expect(events.count == 6)
        #expect(events.allSatisfy { $0["actor"] == "cli" })
        #expect(events.first?["detail"]?["fields"] == ["customAttributes"])
    }

    @Test("users are found by an identity and by a part of their name, and counted")
    func finding() async throws {
        let identities: JSONValue = [["providerId": "google.com", "rawId": "123"]]
        let place = try await makeUsers([
            ["localId": "ada", "displayName": "Ada LOVELACE", "providerUserInfo": identities],
            ["localId": "bob", "displayName": "Bob"], ["localId": "zoe", "displayName": "Zoé Lovelace"],
        ])
        func found(_ arguments: [String]) async throws -> [String] {
            let users = try await place.json(["users", "find"] + arguments)["users"]?.array ?? []
            return users.compactMap { $0["localId"]?.string }
        }
        #expect(try await found(["--provider", "google.com", "--provider-id", "123"]) == ["ada"])
        #expect(try await found(["--provider", "google.com", "--provider-id", "1234"]) == [])
        #expect(try await found(["--name", "lovel"]) == ["ada", "zoe"])
        #expect(try await found(["--name", "ZOÉ"]) == ["zoe"])
        #expect(try await found(["--name", "lovel", "--after", "ada"]) == ["zoe"])
        let first = try await place.json(["users", "find", "--name", "lovel", "--limit", "1"])
        #expect(first["users"]?.array?.count == 1 && first["nextAfter"] == "ada")
        let both = ["--name", "a", "--provider", "x", "--provider-id", "y"]
        for wrong in [[], ["--provider", "google.com"], ["--name", ""], both] {
            #expect(try await place.run(["users", "find"] + wrong).code != 0, "\(wrong)")
        }
        #expect(try await place.json(["users", "count"])["users"] == 3)
        #expect(try await place.run(["users", "count"]).text == "3\n")
    }

    @Test("a list that is longer than its limit says how to go on")
    func goingOn() async throws {
        let place = try await makeUsers(["a", "b", "c"].map { ["localId": .string($0)] })
        let first = try await place.json(["users", "list", "--limit", "2"])
        #expect(first["users"]?.array?.count == 2 && first["nextAfter"] == "b")
        #expect(try await place.run(["users", "list", "--limit", "2"]).text.contains("There are more: --after b"))
        let rest = try await place.json(["users", "list", "--limit", "2", "--after", "b"])
        #expect(rest["users"]?[0]?["localId"] == "c" && rest["nextAfter"] == nil)
        let whole = try await place.run(["users", "list", "--limit", "3"])
        #expect(whole.code == 0 && !whole.text.contains("--after"))
    }

    @Test("a deletion asks at a terminal, and is refused where nobody can be asked")
    func deletion() async throws {
        let place = try await makeUsers([["localId": "ada"]])
        let delete = ["users", "delete", "ada"]
        let refused = try await place.run(delete)
        #expect(refused.code == 1 && refused.text.contains("--yes"), "\(refused.text)")
        let declined = try await place.runAtTerminal(delete, typing: "\n")
        #expect(declined.code == 1 && declined.text.contains("Delete ada?"), "\(declined.text)")
        #expect(declined.text.contains("nothing was done"))
        #expect(try await place.json(["users", "count"])["users"] == 1)
        let agreed = try await place.runAtTerminal(delete, typing: "y\n")
        #expect(agreed.code == 0, "\(agreed.text)")
        #expect(try await place.json(["users", "count"])["users"] == 0)
    }

    @Test("a table has colours at a terminal, and none in a pipe or with NO_COLOR")
    func colours() async throws {
        let place = try await makeUsers([["localId": "ada"]])
        let list = ["users", "list"]
        #expect(try await place.runAtTerminal(list).text.contains("\u{1b}[1mID\u{1b}[0m"))
        #expect(try await !place.runAtTerminal(list, ["NO_COLOR": "1"]).text.contains("\u{1b}"))
        #expect(try await !place.run(list).text.contains("\u{1b}"))
    }

    @Test("of many rejected rows an import shows twenty and the number of the others; a report has all")
    func manyRejections() async throws {
        let place = try await makeUsers([["localId": "ada"]])
        let rows = (0..<25).map { JSONValue.object(["localId": .string("u\($0)"), "phoneNumber": "12"]) }
        try place.write(JSONValue.object(["users": .array(rows)]).text, to: "bad.json")
        let (code, text) = try await place.run(["users", "import", "bad.json"])
        #expect(code == 2)
        #expect(text.split(separator: "\n").count { $0.hasPrefix("row ") } == 20)
        #expect(text.contains("and 5 more rows were rejected; --report FILE lists all of them"))
        let reported = try await place.run(["users", "import", "bad.json", "--report", "all.ndjson"])
        #expect(reported.code == 2 && !reported.text.contains("more rows"))
        #expect(try place.read("all.ndjson").split(separator: "\n").count == 25)
    }

    @Test("a known password shows wrong hash parameters before anything is imported")
    func probe() async throws {
        let place = try await makeUsers([["localId": "ada"]])
        let rows: [JSONValue] = [
            ["localId": "one", "email": "one@b.c"],
            [
                "localId": "two", "email": "Two@b.c", "salt": "42xEC+ixf3L2lw==",
                "passwordHash": "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
            ],
        ]
        try place.write(JSONValue.object(["users": .array(rows)]).text, to: "moved.json")
        func run(_ email: String, _ password: String, rounds: String = "8") async throws -> (code: Int32, text: String) {
            let key = "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="
            let hash = [
                "--hash-algo", "scrypt", "--hash-key", key, "--salt-separator", "Bw==", "--rounds", rounds, "--mem-cost",
                "14",
            ]
            let arguments = ["users", "import", "moved.json", "--verify-password", email]
            return try await place.run(arguments + hash, input: password)
        }
        for (email, password, rounds, reason) in [
            ("two@b.c", "user1password", "7", "under these hash parameters the password is not that of two@b.c"),
            ("two@b.c", "other", "8", "under these hash parameters the password is not that of two@b.c"),
            ("one@b.c", "user1password", "8", "the row of one@b.c has no password hash"),
            ("no@b.c", "user1password", "8", "no row of the file has the address no@b.c"),
        ] {
            let (code, text) = try await run(email, password, rounds: rounds)
            #expect(code == 1 && text.contains(reason), "\(text)")
        }
        #expect(try await place.json(["users", "count"])["users"] == 1)
        let right = try await run("two@b.c", "user1password")
        #expect(right.code == 0 && right.text.contains("2 imported"), "\(right.text)")
    }
}
