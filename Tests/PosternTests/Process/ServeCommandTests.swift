import Foundation
import Project
import TestKit
import Testing

@Suite("postern serve", .teardown, .timeLimit(.minutes(15)))
struct ServeCommandTests {
    private static let variables = [
        "POSTERN_MODE": "development", "POSTERN_SERVER_PORT": "0", "POSTERN_PROJECT_FILE": "", "POSTERN_LOG_LEVEL": "error",
    ]

    private func start(
        _ arguments: [String],
        in directory: String,
        _ variables: [String: String] = [:]
    ) throws -> ServerProcess {
        try ServerProcess(
            ["serve", "--ephemeral"] + arguments,
            environment: Self.variables.merging(variables) { $1 },
            directory: directory
        )
    }

    @Test("tells whoever starts it without any settings how to start a test server")
    func firstStart() async throws {
        let directory = try await makeTemporaryDirectory()
        let (code, text) = await (try ServerProcess(["serve"], environment: [:], directory: directory)).waitForOutput()
        #expect(code == 1)
        #expect(text.hasSuffix("POSTERN_MODE=development postern serve\n"))
    }

    @Test("says which address is taken, in one line")
    func busyPort() async throws {
        let directory = try await makeTemporaryDirectory()
        let first = try start([], in: directory)
        let url = try await first.waitUntilReady()
        let port = try #require(url.split(separator: ":").last.map(String.init))
        let second = try start([], in: directory, ["POSTERN_SERVER_PORT": port])
        let (code, text) = await second.waitForOutput()
        #expect(code == 1)
        let reason = "127.0.0.1:\(port) is in use; another server listens there, perhaps another Postern"
        #expect(text == "Error: server.host and server.port: \(reason)\n")
        #expect(await first.terminate() == 0)
    }

    @Test("a server that cannot have its socket has written nothing: neither schema nor keys nor the project file")
    func bindsFirst() async throws {
        let directory = try await makeTemporaryDirectory()
        let project = "config: {signIn: {email: {enabled: %}}}\n"
        func write(_ value: String) throws {
            try project.replacingOccurrences(of: "%", with: value)
                .write(toFile: directory + "/project.yaml", atomically: true, encoding: .utf8)
        }
        func variables(_ store: String, port: String = "0") -> [String: String] {
            Self.variables.merging([
                "POSTERN_PROJECT_FILE": "project.yaml", "POSTERN_DATABASE_URL": "sqlite:\(store)",
                "POSTERN_SERVER_PORT": port,
                "POSTERN_PROJECT_ID": "demo-test",
            ]) { $1 }
        }
        try write("true")
        let first = try ServerProcess(["serve"], environment: variables("live.sqlite"), directory: directory)
        let url = try await first.waitUntilReady()
        let port = try #require(url.split(separator: ":").last.map(String.init))
        try write("false")
        for store in ["live.sqlite", "new.sqlite"] {
            let second = try ServerProcess(["serve"], environment: variables(store, port: port), directory: directory)
            let (code, text) = await second.waitForOutput()
            #expect(code == 1 && text.contains("is in use"), "\(text)")
        }
        let body: JSONValue = ["email": "a@b.c", "password": "secret-1"]
        #expect(try await TestClient(url).post("/v1/accounts:signUp?key=k", body).status == 200)
        let files = try FileManager.default.contentsOfDirectory(atPath: directory)
        #expect(!files.contains { $0.hasPrefix("new.sqlite") }, "\(files)")
        #expect(await first.terminate() == 0)
    }

    @Test("a server whose project file cannot be applied has written nothing, and says what is wrong with the file")
    func rehearsesProjectFile() async throws {
        let directory = try await makeTemporaryDirectory()
        let secret = String(repeating: "s", count: 60_000)
        let files = [
            "oauthIdpConfigs: {oidc.x: {clientId: c, clientSecret: \(secret)}}\n":
                "oauthIdpConfigs.oidc.x.clientSecret is too long",
            "tenants: {\"a\\0b\": {displayName: A}}\n": "tenants.a",
            "config: {signIn: {email: {enabled: 1}}}\n": "config.signIn.email.enabled must be true or false",
        ]
        for (text, fault) in files {
            try text.write(toFile: directory + "/project.yaml", atomically: true, encoding: .utf8)
            let variables = Self.variables.merging(
                ["POSTERN_PROJECT_FILE": "project.yaml", "POSTERN_DATABASE_URL": "sqlite:new.sqlite"]
            ) { $1 }
            let server = try ServerProcess(["serve"], environment: variables, directory: directory)
            let (code, said) = await server.waitForOutput()
            #expect(code == 1 && said.contains(fault), "\(said)")
            let found = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(found == ["project.yaml"], "\(found)")
        }
    }

    @Test("says in one line what is wrong with a directory to import or to export to, before it serves")
    func brokenDirectories() async throws {
        let directory = try await makeTemporaryDirectory()
        let files = FileManager.default
        for name in ["hollow", "broken/auth_export", "mine"] {
            try files.createDirectory(atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
        }
        let metadata = #"{"version":"15.0.0","auth":{"version":"15.0.0","path":"auth_export"}}"#
        for (text, file) in [
            (metadata, "hollow/firebase-export-metadata.json"), (metadata, "broken/firebase-export-metadata.json"),
            (#"{"users":[{"localId":"#, "broken/auth_export/accounts.json"), ("precious", "mine/file"),
        ] { try text.write(toFile: "\(directory)/\(file)", atomically: true, encoding: .utf8) }
        let cases = [
            (["--import", "hollow"], "hollow has no directory auth_export"), (["--import", "broken"], "accounts.json"),
            (["--export-on-exit", "mine"], "mine is there and is no export"),
            (["--export-on-exit", "mine/file/below"], "mine/file/below cannot be made: there is no directory"),
            (["--export-on-exit", "nowhere/below"], "nowhere/below cannot be made: there is no directory"),
            (["--import", "nowhere"], "there is no directory nowhere to import"),
            (["--import", "mine/file", "--export-on-exit"], "there is no directory mine/file to import"),
            (["--export-on-exit"], "--export-on-exit needs a directory where --import names none"),
        ]
        for (arguments, expected) in cases {
            let (code, text) = await (try start(arguments, in: directory)).waitForOutput()
            #expect(code == 1, "\(arguments)")
            #expect(text.hasPrefix("Error: ") && text.contains(expected), "\(text)")
            #expect(text.split(separator: "\n").count == 1, "\(text)")
        }
        #expect(!files.fileExists(atPath: directory + "/nowhere"))
        #expect(try String(contentsOfFile: directory + "/mine/file", encoding: .utf8) == "precious")
    }

    @Test("starts empty, with a warning, where there is no export to import, and writes one there when it stops")
    func nothingToImport() async throws {
        let directory = try await makeTemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory + "/empty", withIntermediateDirectories: true)
        for name in ["nowhere", "empty"] {
            let variables = ["POSTERN_LOG_LEVEL": "warning"]
            let server = try start(["--import", name, "--export-on-exit"], in: directory, variables)
            let client = TestClient(try await server.waitUntilReady())
            #expect(try await client.post("/v1/accounts:signUp?key=k", [:]).status == 200)
            #expect(await server.terminate() == 0)
            #expect(server.printed.contains("nothing imported: no export of the emulator is there"))
            let text = try String(contentsOfFile: "\(directory)/\(name)/auth_export/accounts.json", encoding: .utf8)
            #expect(text.contains("localId"))
        }
    }

    @Test("exports to the directory that it imported when no other is named, and leaves what other emulators have there")
    func sameDirectory() async throws {
        let directory = try await makeTemporaryDirectory()
        let export = directory + "/export"
        try FileManager.default.createDirectory(atPath: export + "/firestore_export", withIntermediateDirectories: true)
        try #"{"version":"15.0.0","firestore":{"version":"1.19.8","path":"firestore_export"}}"#
            .write(toFile: export + "/firebase-export-metadata.json", atomically: true, encoding: .utf8)
        for accounts in 1...2 {
            let server = try start(["--import", export, "--export-on-exit"], in: directory)
            let client = TestClient(try await server.waitUntilReady())
            #expect(try await client.post("/v1/accounts:signUp?key=k", [:]).status == 200)
            #expect(await server.terminate() == 0)
            let text = try String(contentsOfFile: export + "/auth_export/accounts.json", encoding: .utf8)
            #expect(text.components(separatedBy: "localId").count == accounts + 1)
            let metadata = try String(contentsOfFile: export + "/firebase-export-metadata.json", encoding: .utf8)
            #expect(metadata.contains("firestore_export") && metadata.contains("auth_export"))
            #expect(FileManager.default.fileExists(atPath: export + "/firestore_export"))
        }
    }
}
