import Foundation
import Project
import TestKit
import Testing

@Suite("postern emulator stands in for firebase emulators:start --only auth", .teardown, .timeLimit(.minutes(15)))
struct EmulatorCommandTests {
    private func start(
        _ arguments: [String] = ["--port", "0"],
        in directory: String,
        _ variables: [String: String] = [:]
    ) throws -> ServerProcess {
        try ServerProcess(["emulator"] + arguments, environment: variables, directory: directory)
    }

    private let owner = [("Authorization", "Bearer owner")]

    @Test("needs no file, takes none that lies about, and leaves none behind")
    func noFiles() async throws {
        let directory = try await makeTemporaryDirectory()
        let files = FileManager.default
        try files.createDirectory(atPath: directory + "/Config", withIntermediateDirectories: true)
        for name in ["development.yaml", "project.yaml"] {
            try "this: is no settings file\n".write(toFile: "\(directory)/Config/\(name)", atomically: true, encoding: .utf8)
        }
        // The variables of a shell in which another server was run.
        let variables = [
            "POSTERN_MODE": "production", "POSTERN_DATABASE_URL": "sqlite:kept.sqlite", "POSTERN_PROJECT_ID": "from-shell",
        ]
        let server = try start(in: directory, variables)
        let client = TestClient(try await server.waitUntilReady())
        #expect(try await client.get("/")["authEmulator"]?["ready"] == true)
        let answer = try await client.post("/v1/accounts:signUp?key=any", ["email": "a@b.c", "password": "secret-1"])
        #expect(answer.status == 200, "\(answer.json)")
        let payload = try #require(answer["idToken"]?.string?.split(separator: ".").dropFirst().first)
        let claims = try JSONValue.parse(try #require(Base64URL.decode(payload.utf8)))
        #expect(claims["aud"] == "from-shell")
        #expect(await server.terminate() == 0)
        #expect(try files.subpathsOfDirectory(atPath: directory).sorted().filter { !$0.hasPrefix("Config") } == [])
    }

    @Test("takes signed tokens of Google and Apple at their word, with a signature that verifies with nothing")
    func signedTokens() async throws {
        let directory = try await makeTemporaryDirectory()
        let server = try start(["--project", "demo-app", "--port", "0"], in: directory)
        let client = TestClient(try await server.waitUntilReady())
        for provider in ["google.com", "apple.com"] {
            let claims: JSONValue = [
                "iss": "https://accounts.google.com", "aud": "somebody's own client", "sub": "s-1", "exp": 1,
                "email": .string("\(provider)@example.com"), "email_verified": true,
            ]
            let token = try TestKey.rsa(kid: "unknown").token(claims: claims)
            for signed in [token, token.split(separator: ".").prefix(2).joined(separator: ".") + ".AB"] {
                let body = TestClient.encode([("providerId", provider), ("id_token", signed)])
                let answer = try await client.post(
                    "/v1/accounts:signInWithIdp?key=any",
                    ["requestUri": "http://localhost", "postBody": .string(body)]
                )
                #expect(answer.status == 200, "\(answer.json)")
            }
        }
        #expect(await server.terminate() == 0)
    }

    @Test("forgets everything, but for what it is told to export and to import")
    func moving() async throws {
        let directory = try await makeTemporaryDirectory()
        let sizes = [1, 2]
        for size in sizes {
            let server = try start(["--port", "0", "--import", "data", "--export-on-exit"], in: directory)
            let client = TestClient(try await server.waitUntilReady())
            let email = JSONValue.string("u\(size)@b.c")
            let body: JSONValue = ["email": email, "password": "secret-1"]
            #expect(try await client.post("/v1/accounts:signUp?key=any", body).status == 200)
            let first: JSONValue = ["email": "u1@b.c", "password": "secret-1"]
            #expect(try await client.post("/v1/accounts:signInWithPassword?key=any", first).status == 200)
            let path = "/identitytoolkit.googleapis.com/v1/projects/demo-postern/accounts:batchGet?maxResults=-1"
            #expect(try await client.get(path, headers: owner)["users"]?.array?.count == size)
            #expect(await server.terminate() == 0)
        }
        let server = try start(in: directory)
        let client = TestClient(try await server.waitUntilReady())
        let path = "/identitytoolkit.googleapis.com/v1/projects/demo-postern/accounts:batchGet"
        #expect(try await client.get(path, headers: owner)["users"]?.array?.isEmpty ?? true)
        #expect(await server.terminate() == 0)
    }

    @Test("says in a line what is wrong with an option")
    func wrongOptions() async throws {
        let directory = try await makeTemporaryDirectory()
        for (arguments, expected) in [
            (["--port", "70000"], "server.port"), (["--project", "No Project"], "project.id"),
            (["--port", "0", "--export-on-exit"], "--export-on-exit needs a directory where --import names none"),
        ] {
            let (code, text) = await (try start(arguments, in: directory)).waitForOutput()
            #expect(code == 1 && text.hasPrefix("Error: ") && text.contains(expected), "\(text)")
        }
    }
}
