import Foundation
import Project
import TestKit
import Testing

@testable import postern

@Suite("Administration from the command line", .teardown, .timeLimit(.minutes(15)))
struct AdministrationCommandTests {
    private static let project = """
        config: {signIn: {anonymous: {enabled: true}, email: {enabled: true}}}
        tenants: {acme: {enableAnonymousUser: true}}
        """

    private func withServer(_ body: (TestClient, CommandPlace) async throws -> Void) async throws {
        let place = try await CommandPlace.make(project: Self.project)
        try await place.serving { client in try await body(client, place) }
    }

    @Test("admin-token makes tokens that a running server takes, lists them without the tokens, and revokes them")
    func adminTokens() async throws {
        try await withServer { client, place in
            let (code, printed) = try await place.run(["admin-token", "create", "ci", "--scope", "read", "--expires", "30"])
            #expect(code == 0)
            let token = try #require(printed.firstMatch(of: /postern_admin_[A-Za-z0-9_-]{43}/).map { String($0.0) })
            func status(_ method: String = "lookup") async throws -> Int {
                let headers = [("Authorization", "Bearer \(token)")]
                return try await client.post("/v1/projects/shop/accounts:\(method)", ["localId": ["x"]], headers: headers).status
            }
            #expect(try await status() == 200)
            #expect(try await status("delete") == 403)
            let made = try await place.json(["admin-token", "create", "full"])
            #expect(made["scopes"] == ["read", "users", "config"])
            #expect(made["token"]?.string?.hasPrefix("postern_admin_") == true)
            #expect(made["expiresAt"] == nil)
            let listing = try await place.json(["admin-token", "list"])
            #expect(!listing.text.contains("postern_admin_"))
            let first = try #require(listing["adminTokens"]?[0])
            #expect(first["name"] == "ci")
            #expect(first["state"] == "live")
            #expect(first["lastUsedAt"] != nil)
            #expect(try await place.run(["admin-token", "list"]).text.contains("ci"))
            for wrong in [["create", "ci"], ["create", "a b"], ["create", "x", "--expires", "0"], ["revoke", "nobody"]] {
                #expect(try await place.run(["admin-token"] + wrong).code == 1, "\(wrong)")
            }
            #expect(try await place.run(["admin-token", "create", "x", "--scope", "root"]).code != 0)
            let identifier = try #require(first["id"]?.string)
            #expect(try await place.run(["admin-token", "revoke", identifier]).code == 0)
            #expect(try await status() == 401)
            for file in ["p.sqlite", "p.sqlite-wal"] {
                let stored = try Data(contentsOf: URL(fileURLWithPath: place.directory + "/" + file))
                #expect(stored.range(of: Data(token.utf8)) == nil)
            }
            let events = try await place.json(["audit", "--event", "adminTokenRevoked"])["events"]?.array
            #expect(events?.count == 1)
            #expect(events?.first?["actor"] == "cli")
        }
    }

    @Test("users are listed, shown, changed and deleted beside a running server, and the audit trail says so")
    func users() async throws {
        try await withServer { client, place in
            let password: JSONValue = ["email": "ada@example.com", "password": "secret-1"]
            var session = try await client.post("/v1/accounts:signUp?key=k", password)
            let localID = try #require(session["localId"]?.string)
            let tenant = try await client.post("/v1/accounts:signUp?key=k", ["tenantId": "acme"])
            let guest = try #require(tenant["localId"]?.string)
            func refresh() async throws -> TestClient.Answer {
                let token = session["refreshToken"]?.string ?? ""
                return try await client.post(
                    "/v1/token?key=k",
                    form: [("grant_type", "refresh_token"), ("refresh_token", token)]
                )
            }
            let listed = try await place.json(["users", "list"])["users"]?.array
            #expect(listed?.compactMap { $0["localId"]?.string } == [localID])
            #expect(listed?.first?["providers"] == ["password"])
            let tenants = try await place.json(["users", "list", "--tenant", "acme"])["users"]?.array
            #expect(tenants?.compactMap { $0["localId"]?.string } == [guest])
            #expect(try await place.run(["users", "list"]).text.contains("ada@example.com"))
            #expect(try await place.json(["users", "show", "ADA@example.com"])["localId"]?.string == localID)
            #expect(try await place.run(["users", "show", localID]).text.contains("ada@example.com"))
            #expect(try await place.json(["users", "sessions", localID])["sessions"]?.array?.count == 1)

            #expect(try await place.json(["users", "disable", localID])["disabled"] == true)
            #expect(try await refresh().errorMessage == "USER_DISABLED")
            #expect(try await place.run(["users", "enable", "ada@example.com"]).code == 0)
            #expect(try await refresh().errorMessage == "TOKEN_EXPIRED")
            session = try await client.post("/v1/accounts:signInWithPassword?key=k", password)
            #expect(try await refresh().status == 200)
            #expect(try await place.run(["users", "revoke", localID]).code == 0)
            #expect(try await refresh().errorMessage == "TOKEN_EXPIRED")
            #expect(try await place.json(["users", "sessions", localID])["sessions"]?.array?.isEmpty == true)

            let events = try await place.json(["audit", "--user", "ada@example.com", "--since", "1h"])["events"]?.array
            #expect(events?.count { $0["actor"] == "cli" } == 3)
            #expect(events?.last?["event"] == "signUp")
            #expect(try await place.json(["audit", "--limit", "1"])["events"]?.array?.count == 1)
            #expect(try await place.json(["audit", "--since", "2999-01-01T00:00:00Z"])["events"]?.array?.isEmpty == true)
            #expect(try await place.run(["audit", "--since", "yesterday"]).code != 0)
            #expect(try await place.run(["audit"]).text.contains("signUp"))
            #expect(try await place.run(["users", "unlock", localID]).text.contains("nothing was counted"))
            for _ in 0..<2 {
                let wrong: JSONValue = ["email": "ada@example.com", "password": "wrong"]
                #expect(try await client.post("/v1/accounts:signInWithPassword?key=k", wrong).status == 400)
            }
            #expect(try await place.run(["users", "unlock", localID]).text.contains("unlocked"))
            #expect(try await place.json(["audit", "--event", "unlock"])["events"]?.array?.count == 2)
            #expect(try await place.json(["clock", "confirm"])["leadSeconds"]?.integer != nil)
            #expect(try await place.run(["clock", "confirm"]).text.contains("servers believe their clocks"))
            #expect(try await place.json(["audit", "--event", "clockConfirmed"])["events"]?.array?.count == 2)
            try await eventually {
                let refused = try await place.json(["audit", "--event", "refused", "--user", localID])["events"]?.array
                return refused?.contains { $0["detail"]?["code"] == "INVALID_LOGIN_CREDENTIALS" && $0["repeats"] == 1 } == true
            }

            #expect(try await place.run(["users", "delete", localID, "--yes"]).code == 0)
            #expect(try await place.run(["users", "show", localID]).code == 1)
            #expect(try await client.post("/v1/accounts:signInWithPassword?key=k", password).status == 400)
            let gone = try await place.json(["audit", "--user", localID, "--event", "delete"])["events"]?[0]
            #expect(gone?["actor"] == "cli")
            let (code, text) = try await place.run(["users", "list", "--tenant", "nobody"])
            #expect(code == 1)
            #expect(text.contains("INVALID_TENANT_ID"))
        }
    }

    @Test("a single session is ended, and the others go on")
    func session() async throws {
        try await withServer { client, place async throws in
            let body: JSONValue = ["email": "a@b.c", "password": "secret-1"]
            let first = try await client.post("/v1/accounts:signUp?key=k", body)
            let id = try #require(try await place.json(["users", "sessions", "a@b.c"])["sessions"]?[0]?["id"]?.string)
            let second = try await client.post("/v1/accounts:signInWithPassword?key=k", body)
            #expect(try await place.run(["users", "revoke", "a@b.c", "--session", id]).code == 0)
            #expect(try await place.run(["users", "revoke", "a@b.c", "--session", id]).code == 1)
            for (session, status) in [(first, 400), (second, 200)] {
                let form = [("grant_type", "refresh_token"), ("refresh_token", session["refreshToken"]?.string ?? "")]
                #expect(try await client.post("/v1/token?key=k", form: form).status == status)
            }
            let events = try await place.json(["audit", "--event", "sessionRevoked"])["events"]?.array
            #expect(events?.first?["actor"] == "cli")
        }
    }

    @Test("users that are made hold to the rules, and nothing in a name steers the terminal (OPS-05)")
    func creation() async throws {
        try await withServer { client, place in
            let name = "Eve\u{1b}[2J\u{202e}\nroot"
            let made = try await place.json(
                ["users", "create", "--email", "Eve@Example.com", "--verified", "--display-name", name, "--id", "eve"]
            )
            #expect(made["email"] == "eve@example.com")
            #expect(made["emailVerified"] == true)
            let shown = try await place.run(["users", "show", "eve"]).text
            #expect(shown.contains(#"Eve\u{1b}[2J\u{202e}\u{a}root"#))
            for unprintable in ["\u{1b}", "\u{202e}"] { #expect(!shown.contains(unprintable)) }
            for (arguments, code) in [
                (["--email", "eve@example.com"], "EMAIL_EXISTS"), (["--id", "eve"], "DUPLICATE_LOCAL_ID"),
                (["--email", "nonsense"], "INVALID_EMAIL"), (["--phone", "12"], "INVALID_PHONE_NUMBER"),
            ] {
                let (status, text) = try await place.run(["users", "create"] + arguments)
                #expect(status == 1)
                #expect(text.contains(code), "\(text)")
            }
            #expect(try await place.run(["users", "create", "--phone", "+15555550100"]).code == 0)
            #expect(
                try await place.run(["users", "create", "--phone", "+15555550100"]).text.contains("PHONE_NUMBER_EXISTS")
            )
            // Standard input is empty here.
            #expect(try await place.run(["users", "create", "--email", "a@b.example", "--password-stdin"]).code == 1)
            let created = try await place.json(["audit", "--user", "eve"])["events"]?.array
            #expect(created?.map { $0["event"]?.string } == ["create"])
            #expect(created?.first?["actor"] == "cli")
        }
    }

    @Test("tables line up, and absent values show")
    func table() {
        var table = TextTable(["ID", "NAME"])
        table.add(["a-long-id", nil])
        table.add(["b", "Zoë"])
        #expect(table.lines() == ["ID         NAME", "a-long-id  -", "b          Zoë"])
    }

    @Test("headings and states have colours at a terminal only, unless NO_COLOR is set")
    func colours() {
        var table = TextTable(["STATE", "NAME"])
        table.add(["disabled", "disabled"])
        #expect(table.lines() == ["STATE     NAME", "disabled  disabled"])
        let coloured = ["\u{1b}[1mSTATE\u{1b}[0m     \u{1b}[1mNAME\u{1b}[0m", "\u{1b}[31mdisabled\u{1b}[0m  disabled"]
        #expect(table.lines(TerminalStyle(isTerminal: true, environment: ["NO_COLOR": ""])) == coloured)
        for (isTerminal, variables) in [(false, [:]), (true, ["NO_COLOR": "1"]), (true, ["TERM": "dumb"])] {
            #expect(table.lines(TerminalStyle(isTerminal: isTerminal, environment: variables)) == table.lines())
        }
    }

    @Test("points in time are read as dates or as spans before now")
    func times() {
        let now = Timestamp(seconds: 1_767_225_600)
        #expect(EarliestTime(argument: "2026-01-01T00:00:00Z")?.time(at: now) == now)
        #expect(EarliestTime(argument: "2026-01-01T00:00:00.500Z")?.time(at: now) == now.advanced(by: .milliseconds(500)))
        #expect(EarliestTime(argument: "90m")?.time(at: now) == now - .seconds(5400))
        #expect(EarliestTime(argument: "2d")?.time(at: now) == now - .seconds(172_800))
        for wrong in ["", "2d ", "-1h", "1y", "now", "99999999999h"] { #expect(EarliestTime(argument: wrong) == nil) }
    }
}
