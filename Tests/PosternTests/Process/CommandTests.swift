import CryptoExtras
import Foundation
import Project
import Server
import TestKit
import Testing
import Tokens

@Suite("The command line", .teardown, .timeLimit(.minutes(15)))
struct CommandTests {
    private func run(_ arguments: [String], _ variables: [String: String] = [:], _ directory: String) async throws -> (
        Int32, String
    ) {
        try await ServerProcess(arguments, environment: variables, directory: directory).waitForOutput()
    }

    @Test("admin-token prints a fresh token that admin.token accepts")
    func adminToken() async throws {
        let directory = try await makeTemporaryDirectory()
        let (code, first) = try await run(["admin-token"], [:], directory)
        let (_, second) = try await run(["admin-token"], [:], directory)
        #expect(code == 0)
        #expect(first != second)
        #expect(first.trimmingCharacters(in: .newlines).count == 43)
    }

    @Test("config check says what is wrong, by name, and nothing secret")
    func configCheck() async throws {
        let directory = try await makeTemporaryDirectory()
        let file = directory + "/settings.yaml"
        try "mode: development\nserver: {prot: 1, port: many}\n".write(toFile: file, atomically: true, encoding: .utf8)
        let variables = ["POSTERN_ADMIN_TOKEN": "short-secret"]
        let (code, output) = try await run(["config", "check", "--config", file], variables, directory)
        #expect(code != 0)
        for part in ["server.prot", "server.port", "POSTERN_ADMIN_TOKEN", "settings.yaml"] { #expect(output.contains(part)) }
        #expect(!output.contains("short-secret"))
        try "mode: development\n".write(toFile: file, atomically: true, encoding: .utf8)
        let (good, _) = try await run(["config", "check", "--config", file], [:], directory)
        #expect(good == 0)
        let project = ["POSTERN_PROJECT_FILE": directory + "/project.yaml"]
        let google = "{enabled: true, clientId: c, clientSecret: {env: NOT_SET}}"
        try "oauthIdpConfigs: {google.com: {}}\nsurprise: 1\ndefaultSupportedIdpConfigs: {google.com: \(google)}\n"
            .write(toFile: directory + "/project.yaml", atomically: true, encoding: .utf8)
        let (bad, problems) = try await run(["config", "check", "--config", file], project, directory)
        #expect(bad != 0)
        // A variable that is missing hides no other fault, and is one fault.
        for part in ["oauthIdpConfigs.google.com", "surprise", "NOT_SET"] { #expect(problems.contains(part), "\(problems)") }
        #expect(problems.matches(of: /clientSecret/).count == 1, "\(problems)")
        let (missing, text) = try await run(["serve", "--config", directory + "/nope.yaml"], [:], directory)
        #expect(missing != 0)
        #expect(text.contains("nope.yaml"))
    }

    @Test("migrate makes the schema once; keys are listed, rotated and revoked beside a running server")
    func keys() async throws {
        let directory = try await makeTemporaryDirectory()
        let variables = [
            "POSTERN_MODE": "development", "POSTERN_SERVER_PORT": "0", "POSTERN_DEVELOPMENT_SIGN_TOKENS": "true",
            "POSTERN_DATABASE_URL": "sqlite:\(directory)/p.sqlite", "POSTERN_LOG_LEVEL": "error",
        ]
        let (none, complaint) = try await run(["keys", "list"], variables, directory)
        #expect(none == 1)
        #expect(complaint.contains("there is no database"))
        let (first, applied) = try await run(["migrate", "--json"], variables, directory)
        #expect(first == 0)
        #expect(try JSONValue.parse(applied.utf8)["applied"]?[0]?["name"] == "initial")
        let (_, again) = try await run(["migrate"], variables, directory)
        #expect(again.contains("up to date"))

        let server = try ServerProcess(["serve"], environment: variables, directory: directory)
        let client = TestClient(try await server.waitUntilReady())
        let (_, listing) = try await run(["keys", "list", "--json"], variables, directory)
        let keys = try #require(try JSONValue.parse(listing.utf8)["keys"]?.array)
        #expect(keys.compactMap { $0["state"]?.string } == ["signing", "next"])
        let (_, rotated) = try await run(["keys", "rotate", "--json"], variables, directory)
        #expect(rotated.contains("warning: the key that signs from now on was published less than an hour ago"))
        let answer = try #require(rotated.split(separator: "\n").last { $0.hasPrefix("{") })
        let kid = try #require(try JSONValue.parse(answer.utf8)["kid"]?.string)
        // The server reads the store at intervals.
        try await eventually {
            let token = try await client.post("/v1/accounts:signUp?key=k", [:])["idToken"]?.string
            return try decode(try #require(token), 0)["kid"]?.string == kid
        }
        let (revoked, text) = try await run(["keys", "revoke", kid], variables, directory)
        #expect(revoked == 0, "\(text)")
        try await eventually {
            let published = try await client.get("/.well-known/jwks.json")["keys"]?.array ?? []
            return !published.contains { $0["kid"]?.string == kid }
        }
        let (unknown, reason) = try await run(["keys", "revoke", kid], variables, directory)
        #expect(unknown == 1)
        #expect(reason.contains("there is no key"), "\(reason)")
        let (_, trail) = try await run(["audit", "--json"], variables, directory)
        for event in ["signingKeyRotated", "signingKeyRevoked"] { #expect(trail.contains(event), "\(trail)") }
        #expect(await server.terminate() == 0)
    }

    @Test("service-account makes a key file of Google's shape once, whose tokens a running server takes")
    func serviceAccounts() async throws {
        let directory = try await makeTemporaryDirectory()
        let variables = [
            "POSTERN_MODE": "production", "POSTERN_SERVER_PORT": "0", "POSTERN_DATABASE_URL": "sqlite:p.sqlite",
            "POSTERN_LOG_LEVEL": "error", "POSTERN_PROJECT_ID": "shop", "POSTERN_PROJECT_API_KEYS": "k",
            "POSTERN_SECRETS_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
        ]
        let email = "minter@shop.iam.gserviceaccount.com"
        let (none, complaint) = try await run(["service-account", "list"], variables, directory)
        #expect(none == 1)
        #expect(complaint.contains("there is no database"))
        let server = try ServerProcess(["serve"], environment: variables, directory: directory)
        let client = TestClient(try await server.waitUntilReady())

        let create = ["service-account", "create", "minter", "--output", "key.json"]
        let (code, output) = try await run(create + ["--json"], variables, directory)
        #expect(code == 0, "\(output)")
        let answer = try JSONValue.parse(try #require(output.split(separator: "\n").last).utf8)
        #expect(answer["email"]?.string == email)
        #expect(answer["file"] == "key.json")
        #expect(!output.contains("PRIVATE KEY"))
        let path = directory + "/key.json"
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let file = try JSONValue.parse(Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(file["type"] == "service_account")
        #expect(file["project_id"] == "shop")
        #expect(file["client_email"]?.string == email)
        #expect(file["private_key_id"] == answer["keyId"])
        #expect(file["token_uri"]?.string?.hasSuffix("/token") == true)

        let pem = try #require(file["private_key"]?.string)
        let key = TestKey.rsa(kid: "k", try _RSA.Signing.PrivateKey(pemRepresentation: pem))
        let now = ServerEnvironment.systemClock().seconds
        let token = try key.token(claims: [
            "iss": .string(email), "sub": .string(email), "aud": .string(CustomToken.audience), "iat": .integer(now),
            "exp": .integer(now + 3600), "uid": "u",
        ])
        func signIn() async throws -> Int {
            try await client.post("/v1/accounts:signInWithCustomToken?key=k", ["token": .string(token)]).status
        }
        #expect(try await signIn() == 200)
        let stored = try Data(contentsOf: URL(fileURLWithPath: directory + "/p.sqlite-wal"))
        #expect(stored.range(of: Data(email.utf8)) != nil)
        #expect(stored.range(of: Data("PRIVATE KEY".utf8)) == nil)

        // Neither the file nor the account is overwritten, and a refusal leaves nothing behind.
        for arguments in [["other", "--output", "key.json"], ["minter", "--output", "second.json"], ["Bad.Name"]] {
            #expect(try await run(["service-account", "create"] + arguments, variables, directory).0 == 1)
        }
        #expect(!FileManager.default.fileExists(atPath: directory + "/second.json"))
        let (_, listing) = try await run(["service-account", "list", "--json"], variables, directory)
        #expect(try JSONValue.parse(listing.utf8)["serviceAccounts"]?.array?.map { $0["email"]?.string } == [email])
        let (_, printed) = try await run(["service-account", "create", "printed"], variables, directory)
        let printedFile = try JSONValue.parse(try #require(printed.firstIndex(of: "{").map { printed[$0...] }).utf8)
        #expect(printedFile["private_key"] != nil)

        #expect(try await run(["service-account", "delete", "minter"], variables, directory).0 == 0)
        #expect(try await run(["service-account", "delete", email], variables, directory).0 == 1)
        // The server reads the store at intervals.
        let status = try await eventually {
            let status = try await signIn()
            return status == 200 ? nil : status
        }
        #expect(status == 400)
        #expect(await server.terminate() == 0)
    }

    @Test("service-account --held leaves the key in the store, sealed, and a running server signs with it")
    func heldServiceAccounts() async throws {
        let directory = try await makeTemporaryDirectory()
        let token = String(repeating: "t", count: 32)
        var variables = [
            "POSTERN_MODE": "production", "POSTERN_SERVER_PORT": "0", "POSTERN_DATABASE_URL": "sqlite:p.sqlite",
            "POSTERN_LOG_LEVEL": "error", "POSTERN_PROJECT_ID": "shop", "POSTERN_PROJECT_API_KEYS": "k",
            "POSTERN_SECRETS_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(), "POSTERN_ADMIN_TOKEN": token,
        ]
        let server = try ServerProcess(["serve"], environment: variables, directory: directory)
        let client = TestClient(try await server.waitUntilReady())
        let create = ["service-account", "create", "minter", "--held"]
        let (refused, complaint) = try await run(create + ["--output", "key.json"], variables, directory)
        #expect(refused != 0)
        #expect(complaint.contains("--held makes no file"))
        let (code, output) = try await run(create + ["--json"], variables, directory)
        #expect(code == 0, "\(output)")
        #expect(!output.contains("PRIVATE KEY"))
        let made = try JSONValue.parse(try #require(output.split(separator: "\n").last).utf8)
        #expect(made["held"] == true)
        let stored = try Data(contentsOf: URL(fileURLWithPath: directory + "/p.sqlite-wal"))
        #expect(stored.range(of: Data("PRIVATE KEY".utf8)) == nil)
        let (_, listing) = try await run(["service-account", "list"], variables, directory)
        #expect(listing.contains("minter@shop.iam.gserviceaccount.com") && listing.contains("held"))

        let path = "/v1/projects/-/serviceAccounts/minter@shop.iam.gserviceaccount.com:signBlob"
        let answer = try await client.post(path, ["payload": "AAAA"], headers: [("Authorization", "Bearer \(token)")])
        #expect(answer.status == 200, "\(answer.json.text)")
        #expect(answer["keyId"] == made["keyId"])

        // A key sealed under another master key would be of no use.
        variables["POSTERN_SECRETS_MASTER_KEY"] = Data(repeating: 8, count: 32).base64EncodedString()
        #expect(try await run(["service-account", "create", "other", "--held"], variables, directory).0 == 1)
        #expect(await server.terminate() == 0)
    }

    @Test("copy moves a store to the other engine and back, and overwrites nothing", .timeLimit(.minutes(15)))
    func copy() async throws {
        let directory = try await makeTemporaryDirectory()
        let uri = try await ThrowawayPostgreSQL.shared().makeDatabase()
        let variables = [
            "POSTERN_MODE": "development", "POSTERN_SERVER_PORT": "0", "POSTERN_LOG_LEVEL": "error",
            "POSTERN_DATABASE_URL": "sqlite:first.sqlite",
        ]
        let server = try ServerProcess(["serve"], environment: variables, directory: directory)
        let client = TestClient(try await server.waitUntilReady())
        let session = try await client.post("/v1/accounts:signUp?key=k", [:])
        #expect(await server.terminate() == 0)
        for (from, to) in [("sqlite:first.sqlite", uri), (uri, "sqlite:second.sqlite")] {
            let (code, text) = try await run(["copy", "--from", from, "--to", to, "--json"], variables, directory)
            #expect(code == 0, "\(text)")
            let answer = try JSONValue.parse(try #require(text.split(separator: "\n").last).utf8)
            #expect(answer["tables"]?["accounts"] == 1)
            let (again, refusal) = try await run(["copy", "--from", from, "--to", to], variables, directory)
            #expect(again == 1)
            #expect(refusal.contains("a copy overwrites nothing"))
        }
        let (missing, complaint) = try await run(
            ["copy", "--from", "sqlite:none.sqlite", "--to", "sqlite:x.sqlite"],
            variables,
            directory
        )
        #expect(missing == 1)
        #expect(complaint.contains("there is no database at none.sqlite"))
        // The master key must be moved together with the store.
        try FileManager.default.copyItem(
            atPath: directory + "/first.sqlite.masterkey",
            toPath: directory + "/second.sqlite.masterkey"
        )
        let moved = variables.merging(["POSTERN_DATABASE_URL": "sqlite:second.sqlite"]) { $1 }
        let other = try ServerProcess(["serve"], environment: moved, directory: directory)
        let lookup = try await TestClient(try await other.waitUntilReady())
            .post("/v1/accounts:lookup?key=k", ["idToken": session["idToken"] ?? .null])
        #expect(lookup["users"]?[0]?["localId"] == session["localId"])
        #expect(await other.terminate() == 0)
    }

    @Test("serve refuses development on an address that others can reach, and production without its secrets")
    func refusals() async throws {
        let directory = try await makeTemporaryDirectory()
        let open = ["POSTERN_MODE": "development", "POSTERN_SERVER_HOST": "0.0.0.0"]
        let (code, output) = try await run(["serve"], open, directory)
        #expect(code != 0)
        #expect(output.contains("server.host"))
        let (bare, missing) = try await run([], [:], directory)
        #expect(bare != 0)
        for key in ["project.id", "project.apiKeys", "secrets.masterKey"] { #expect(missing.contains(key)) }
    }
}
