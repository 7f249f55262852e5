import Foundation
import Project
import TestKit
import Testing

@testable import postern

@Suite("The command line")
struct CommandTests {
    private func run(_ arguments: [String], _ variables: [String: String] = [:], _ directory: String) async throws -> (
        Int32, String
    ) {
        try await ServerProcess(arguments, environment: variables, directory: directory).waitForOutput()
    }

    @Test("admin-token prints a fresh token that admin.token accepts")
    func adminToken() async throws {
        try await withTemporaryDirectory { directory in
            let (code, first) = try await run(["admin-token"], [:], directory)
            let (_, second) = try await run(["admin-token"], [:], directory)
            #expect(code == 0)
            #expect(first != second)
            #expect(first.trimmingCharacters(in: .newlines).count == 43)
        }
    }

    @Test("config check says what is wrong, by name, and nothing secret")
    func configCheck() async throws {
        try await withTemporaryDirectory { directory in
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
            try "oauthIdpConfigs: {google.com: {}}\nsurprise: 1\n"
                .write(toFile: directory + "/project.yaml", atomically: true, encoding: .utf8)
            let (bad, problems) = try await run(["config", "check", "--config", file], project, directory)
            #expect(bad != 0)
            #expect(problems.contains("oauthIdpConfigs.google.com"))
            #expect(problems.contains("surprise"))
            let (missing, text) = try await run(["serve", "--config", directory + "/nope.yaml"], [:], directory)
            #expect(missing != 0)
            #expect(text.contains("nope.yaml"))
        }
    }

    @Test("migrate makes the schema once; keys are listed and rotated beside a running server")
    func keys() async throws {
        try await withTemporaryDirectory { directory in
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
            #expect(keys.compactMap { $0["state"]?.string } == ["signing", "next"] || keys.count == 2)
            let (_, rotated) = try await run(["keys", "rotate", "--json"], variables, directory)
            #expect(rotated.contains("warning: the key that signs from now on was published less than an hour ago"))
            let answer = try #require(rotated.split(separator: "\n").last { $0.hasPrefix("{") })
            let kid = try #require(try JSONValue.parse(answer.utf8)["kid"]?.string)
            var signing: String?
            for _ in 0..<40 where signing != kid {
                try await Task.sleep(for: .milliseconds(100))
                let token = try await client.post("/v1/accounts:signUp?key=k", [:])["idToken"]?.string
                signing = try decode(try #require(token), 0)["kid"]?.string
            }
            #expect(signing == kid)
            #expect(await server.terminate() == 0)
        }
    }

    @Test("copy moves a store to the other engine and back, and overwrites nothing", .timeLimit(.minutes(1)))
    func copy() async throws {
        try await withTemporaryDirectory { directory in
            try await ThrowawayPostgreSQL.shared().withDatabase { uri in
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
                // The master key moves with whoever moves the store.
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
        }
    }

    @Test("serve refuses development on an address that others can reach, and production without its secrets")
    func refusals() async throws {
        try await withTemporaryDirectory { directory in
            let open = ["POSTERN_MODE": "development", "POSTERN_SERVER_HOST": "0.0.0.0"]
            let (code, output) = try await run(["serve"], open, directory)
            #expect(code != 0)
            #expect(output.contains("server.host"))
            let (bare, missing) = try await run([], [:], directory)
            #expect(bare != 0)
            for key in ["project.id", "project.apiKeys", "secrets.masterKey"] { #expect(missing.contains(key)) }
        }
    }
}
