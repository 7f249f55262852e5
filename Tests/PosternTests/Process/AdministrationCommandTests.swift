import Foundation
import Project
import TestKit
import Testing

@testable import postern

@Suite("Administration from the command line", .timeLimit(.minutes(15)))
struct AdministrationCommandTests {
    private static let variables = [
        "POSTERN_MODE": "production", "POSTERN_SERVER_PORT": "0", "POSTERN_DATABASE_URL": "sqlite:p.sqlite",
        "POSTERN_LOG_LEVEL": "error", "POSTERN_PROJECT_ID": "shop", "POSTERN_PROJECT_API_KEYS": "k",
        "POSTERN_SECRETS_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
        "POSTERN_PASSWORDS_ARGON2_MEMORY_KIB": "8192", "POSTERN_PASSWORDS_ARGON2_ITERATIONS": "1",
        "POSTERN_PROJECT_FILE": "project.yaml",
    ]

    private func run(_ arguments: [String], _ directory: String) async throws -> (code: Int32, text: String) {
        try await ServerProcess(arguments, environment: Self.variables, directory: directory).waitForOutput()
    }

    private func json(_ arguments: [String], _ directory: String) async throws -> JSONValue {
        let (code, text) = try await run(arguments + ["--json"], directory)
        #expect(code == 0, "\(arguments): \(text)")
        return try JSONValue.parse(try #require(text.split(separator: "\n").last).utf8)
    }

    private func withServer(_ body: (TestClient, String) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let project = """
                config: {signIn: {anonymous: {enabled: true}, email: {enabled: true}}}
                tenants: {acme: {enableAnonymousUser: true}}
                """
            try project.write(toFile: directory + "/project.yaml", atomically: true, encoding: .utf8)
            let server = try ServerProcess(["serve"], environment: Self.variables, directory: directory)
            try await body(TestClient(try await server.waitUntilReady()), directory)
            #expect(await server.terminate() == 0)
        }
    }

    @Test("admin-token makes tokens that a running server takes, lists them without the tokens, and revokes them")
    func adminTokens() async throws {
        try await withServer { client, directory in
            let (code, printed) = try await run(["admin-token", "create", "ci", "--scope", "read", "--expires", "30"], directory)
            #expect(code == 0)
            let token = try #require(printed.firstMatch(of: /postern_admin_[A-Za-z0-9_-]{43}/).map { String($0.0) })
            func status(_ method: String = "lookup") async throws -> Int {
                let headers = [("Authorization", "Bearer \(token)")]
                return try await client.post("/v1/projects/shop/accounts:\(method)", ["localId": ["x"]], headers: headers).status
            }
            #expect(try await status() == 200)
            #expect(try await status("delete") == 403)
            let made = try await json(["admin-token", "create", "full"], directory)
            #expect(made["scopes"] == ["read", "users", "config"])
            #expect(made["token"]?.string?.hasPrefix("postern_admin_") == true)
            #expect(made["expiresAt"] == nil)
            let listing = try await json(["admin-token", "list"], directory)
            #expect(!listing.text.contains("postern_admin_"))
            let first = try #require(listing["adminTokens"]?[0])
            #expect(first["name"] == "ci")
            #expect(first["state"] == "live")
            #expect(first["lastUsedAt"] != nil)
            #expect(try await run(["admin-token", "list"], directory).text.contains("ci"))
            for wrong in [["create", "ci"], ["create", "a b"], ["create", "x", "--expires", "0"], ["revoke", "nobody"]] {
                #expect(try await run(["admin-token"] + wrong, directory).code == 1, "\(wrong)")
            }
            #expect(try await run(["admin-token", "create", "x", "--scope", "root"], directory).code != 0)
            let identifier = try #require(first["id"]?.string)
            #expect(try await run(["admin-token", "revoke", identifier], directory).code == 0)
            #expect(try await status() == 401)
            for file in ["p.sqlite", "p.sqlite-wal"] {
                let stored = try Data(contentsOf: URL(fileURLWithPath: directory + "/" + file))
                #expect(stored.range(of: Data(token.utf8)) == nil)
            }
            let events = try await json(["audit", "--event", "adminTokenRevoked"], directory)["events"]?.array
            #expect(events?.count == 1)
            #expect(events?.first?["actor"] == "cli")
        }
    }

    @Test("users are listed, shown, changed and deleted beside a running server, and the audit trail says so")
    func users() async throws {
        try await withServer { client, directory in
            let password: JSONValue = ["email": "ada@example.com", "password": "secret-1"]
            let session = try await client.post("/v1/accounts:signUp?key=k", password)
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
            let listed = try await json(["users", "list"], directory)["users"]?.array
            #expect(listed?.compactMap { $0["localId"]?.string } == [localID])
            #expect(listed?.first?["providers"] == ["password"])
            let tenants = try await json(["users", "list", "--tenant", "acme"], directory)["users"]?.array
            #expect(tenants?.compactMap { $0["localId"]?.string } == [guest])
            #expect(try await run(["users", "list"], directory).text.contains("ada@example.com"))
            #expect(try await json(["users", "show", "ADA@example.com"], directory)["localId"]?.string == localID)
            #expect(try await run(["users", "show", localID], directory).text.contains("ada@example.com"))
            #expect(try await json(["users", "sessions", localID], directory)["sessions"]?.array?.count == 1)

            #expect(try await json(["users", "disable", localID], directory)["disabled"] == true)
            #expect(try await refresh().errorMessage == "USER_DISABLED")
            #expect(try await run(["users", "enable", "ada@example.com"], directory).code == 0)
            #expect(try await refresh().status == 200)
            #expect(try await run(["users", "revoke", localID], directory).code == 0)
            #expect(try await refresh().errorMessage == "TOKEN_EXPIRED")
            #expect(try await json(["users", "sessions", localID], directory)["sessions"]?.array?.isEmpty == true)

            let events = try await json(["audit", "--user", "ada@example.com", "--since", "1h"], directory)["events"]?.array
            #expect(events?.prefix(3).map { $0["actor"]?.string } == ["cli", "cli", "cli"])
            #expect(events?.last?["event"] == "signUp")
            #expect(try await json(["audit", "--limit", "1"], directory)["events"]?.array?.count == 1)
            #expect(try await json(["audit", "--since", "2999-01-01T00:00:00Z"], directory)["events"]?.array?.isEmpty == true)
            #expect(try await run(["audit", "--since", "yesterday"], directory).code != 0)
            #expect(try await run(["audit"], directory).text.contains("signUp"))

            #expect(try await run(["users", "delete", localID], directory).code == 0)
            #expect(try await run(["users", "show", localID], directory).code == 1)
            #expect(try await client.post("/v1/accounts:signInWithPassword?key=k", password).status == 400)
            let gone = try await json(["audit", "--user", localID, "--event", "delete"], directory)["events"]?[0]
            #expect(gone?["actor"] == "cli")
            let (code, text) = try await run(["users", "list", "--tenant", "nobody"], directory)
            #expect(code == 1)
            #expect(text.contains("INVALID_TENANT_ID"))
        }
    }

    @Test("users that are made hold to the rules, and nothing in a name steers the terminal (OPS-05)")
    func creation() async throws {
        try await withServer { client, directory in
            let name = "Eve\u{1b}[2J\u{202e}\nroot"
            let made = try await json(
                ["users", "create", "--email", "Eve@Example.com", "--verified", "--display-name", name, "--id", "eve"],
                directory
            )
            #expect(made["email"] == "eve@example.com")
            #expect(made["emailVerified"] == true)
            let shown = try await run(["users", "show", "eve"], directory).text
            #expect(shown.contains(#"Eve\u{1b}[2J\u{202e}\u{a}root"#))
            for unprintable in ["\u{1b}", "\u{202e}"] { #expect(!shown.contains(unprintable)) }
            for (arguments, code) in [
                (["--email", "eve@example.com"], "EMAIL_EXISTS"), (["--id", "eve"], "DUPLICATE_LOCAL_ID"),
                (["--email", "nonsense"], "INVALID_EMAIL"), (["--phone", "12"], "INVALID_PHONE_NUMBER"),
            ] {
                let (status, text) = try await run(["users", "create"] + arguments, directory)
                #expect(status == 1)
                #expect(text.contains(code), "\(text)")
            }
            #expect(try await run(["users", "create", "--phone", "+15555550100"], directory).code == 0)
            #expect(
                try await run(["users", "create", "--phone", "+15555550100"], directory).text.contains("PHONE_NUMBER_EXISTS")
            )
            // Standard input is empty here.
            #expect(try await run(["users", "create", "--email", "a@b.example", "--password-stdin"], directory).code == 1)
            let created = try await json(["audit", "--user", "eve"], directory)["events"]?.array
            #expect(created?.map { $0["event"]?.string } == ["create"])
            #expect(created?.first?["actor"] == "cli")
        }
    }

    @Test("tables line up, and absent values show")
    func table() {
        var table = TextTable(["ID", "NAME"])
        table.add(["a-long-id", nil])
        table.add(["b", "Zoë"])
        #expect(table.lines == ["ID         NAME", "a-long-id  -", "b          Zoë"])
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
