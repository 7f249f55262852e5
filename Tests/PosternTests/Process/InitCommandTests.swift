import Foundation
import Project
import TestKit
import Testing

@Suite("postern init", .teardown, .timeLimit(.minutes(15)))
struct InitCommandTests {
    private func initialize(_ arguments: [String], in directory: String) async throws -> (Int32, String) {
        try await ServerProcess(["init"] + arguments, environment: [:], directory: directory).waitForOutput()
    }

    @Test("writes what a server in production needs, readable by its owner alone, and a user can sign up there")
    func serves() async throws {
        let directory = try await makeTemporaryDirectory()
        let answers = ["--project", "shop", "--url", "https://auth.example.com", "--api-key", "k", "--domain", "app.example.com"]
        let (code, text) = try await initialize(answers + ["--sign-in", "password", "--sign-in", "anonymous"], in: directory)
        #expect(code == 0, "\(text)")
        #expect(text.contains("no e-mail leaves this server"))
        for name in ["postern.yaml", "project.yaml", "master.key"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(directory)/\(name)")
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        let variables = ["POSTERN_SERVER_PORT": "0"].merging(TestServer.cheapPasswords) { $1 }
        let server = try ServerProcess(["serve", "--config", "postern.yaml"], environment: variables, directory: directory)
        let address = try await server.waitUntilPrinted(/listening on (?:http:\/\/)?(127\.0\.0\.1:[0-9]+)/)
        let client = TestClient("http://\(address)")
        let body: JSONValue = ["email": "ada@example.com", "password": "correct horse"]
        #expect(try await client.post("/v1/accounts:signUp?key=k", body).status == 200)
        #expect(try await client.post("/v1/accounts:signUp?key=other", body).status == 400)
        #expect(await server.terminate() == 0)
    }

    @Test("replaces nothing, and says which option is missing where nobody can be asked")
    func refusals() async throws {
        let directory = try await makeTemporaryDirectory()
        let (missing, complaint) = try await initialize(["--project", "shop"], in: directory)
        #expect(missing != 0)
        #expect(complaint.contains("--url"), "\(complaint)")
        try "mine".write(toFile: directory + "/project.yaml", atomically: true, encoding: .utf8)
        let answers = ["--project", "shop", "--url", "https://auth.example.com"]
        let (taken, reason) = try await initialize(answers, in: directory)
        #expect(taken == 1)
        #expect(reason.contains("project.yaml is there already"), "\(reason)")
        #expect(try String(contentsOfFile: directory + "/project.yaml", encoding: .utf8) == "mine")
        #expect(!FileManager.default.fileExists(atPath: directory + "/master.key"))
    }

    @Test("uses a master key that is there, unless it is none, and keeps the database where it is told")
    func beside() async throws {
        let directory = try await makeTemporaryDirectory()
        let key = Data(repeating: 7, count: 32).base64EncodedString() + "\n"
        let answers = ["--project", "shop", "--url", "https://auth.example.com", "--database", "data/users.sqlite"]
        try "no key".write(toFile: directory + "/master.key", atomically: true, encoding: .utf8)
        let (refused, reason) = try await initialize(answers, in: directory)
        #expect(refused == 1)
        #expect(reason.contains("secrets.masterKeyFile"), "\(reason)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["master.key"])
        try key.write(toFile: directory + "/master.key", atomically: true, encoding: .utf8)
        let (code, text) = try await initialize(answers, in: directory)
        #expect(code == 0, "\(text)")
        #expect(try String(contentsOfFile: directory + "/master.key", encoding: .utf8) == key)
        try FileManager.default.createDirectory(atPath: directory + "/data", withIntermediateDirectories: false)
        let migrate = try ServerProcess(["migrate", "--config", "postern.yaml"], environment: [:], directory: directory)
        let (migrated, said) = await migrate.waitForOutput()
        #expect(migrated == 0, "\(said)")
        #expect(FileManager.default.fileExists(atPath: directory + "/data/users.sqlite"))
        #expect(!FileManager.default.fileExists(atPath: directory + "/postern.sqlite"))
    }

    @Test("takes every text as a text, and refuses one that is no address")
    func texts() async throws {
        let directory = try await makeTemporaryDirectory()
        let answers = ["--project", "shop", "--url", "https://a.example/\"\nmode: development"]
        let (code, reason) = try await initialize(answers, in: directory)
        #expect(code == 1)
        #expect(reason.contains("server.publicURL"), "\(reason)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
    }
}
