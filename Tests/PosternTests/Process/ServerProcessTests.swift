import Foundation
import Project
import Storage
import Synchronization
import TestKit
import Testing

@Suite("The server as a process", .teardown, .timeLimit(.minutes(15)))
struct ServerProcessTests {
    private func environment(_ directory: String, port: Int = 0) -> [String: String] {
        [
            "POSTERN_MODE": "development", "POSTERN_SERVER_PORT": String(port), "POSTERN_PROJECT_FILE": "",
            "POSTERN_DATABASE_URL": "sqlite:\(directory)/postern.sqlite", "POSTERN_DEVELOPMENT_SIGN_TOKENS": "true",
        ]
    }

    @Test("finishes the requests in flight when it is asked to stop, and ends with code 0")
    func gracefulShutdown() async throws {
        let provider = try await FakeIDP.start()
        let directory = try await makeTemporaryDirectory()
        let project = """
            oauthIdpConfigs: {oidc.slow: {enabled: true, clientId: c, issuer: "\(provider.issuer("slow"))"}}
            """
        try project.write(toFile: directory + "/project.yaml", atomically: true, encoding: .utf8)
        let variables = environment(directory).merging([
            "POSTERN_PROJECT_FILE": "project.yaml", "POSTERN_OUTBOUND_TIMEOUT_SECONDS": "120",
            "POSTERN_DEVELOPMENT_VERIFY_CREDENTIALS": "true",
        ]) { $1 }
        let process = try ServerProcess(["serve"], environment: variables, directory: directory)
        let client = TestClient(try await process.waitUntilReady())
        provider.setFault(.delay(.milliseconds(1000)), at: "/slow/jwks")
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        let token = try provider.token(provider.claims(issuer: "slow", audience: "c", now: now))
        let form = TestClient.encode([("providerId", "oidc.slow"), ("id_token", token)])
        let isAnswered = Atomic(false)
        let answer = Task {
            defer { isAnswered.store(true, ordering: .relaxed) }
            return try await client.post(
                "/v1/accounts:signInWithIdp?key=k",
                ["requestUri": "http://localhost", "postBody": .string(form)]
            )
        }
        try await eventually { provider.count("/slow/jwks") > 0 || isAnswered.load(ordering: .relaxed) }
        #expect(provider.count("/slow/jwks") == 1)
        let code = await process.terminate()
        #expect(try await answer.value.status == 200)
        #expect(code == 0)
        #expect(process.printed.contains("stopped"))
    }

    @Test("does not wait for a body that does not come when it is asked to stop")
    func unfinishedBody() async throws {
        let directory = try await makeTemporaryDirectory()
        let process = try ServerProcess(["serve"], environment: environment(directory), directory: directory)
        let url = try await process.waitUntilReady()
        let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
        let connection = try await RawConnection(port: port)
        let head = "POST /v1/accounts:signUp?key=k HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n"
        try await connection.send(head + "Expect: 100-continue\r\n\r\n{")
        try await eventually { connection.text.contains(" 100 ") || !connection.isOpen }
        let asked = ContinuousClock.now
        #expect(await process.terminate() == 0)
        // Requests that are worked on have 20 seconds.
        #expect(ContinuousClock.now - asked < .seconds(15))
        #expect(process.printed.contains("stopped"))
        let text = await connection.waitForEnd()
        #expect(!text.contains(" 200 "), "\(text)")
    }

    @Test("prints a curl line that works as pasted")
    func banner() async throws {
        let directory = try await makeTemporaryDirectory()
        let process = try ServerProcess(["serve"], environment: environment(directory), directory: directory)
        _ = try await process.waitUntilReady()
        let line = try #require(process.printed.split(separator: "\n").first { $0.contains("curl ") })
        let path = ["PATH": "/usr/bin:/bin"]
        let shell = try ServerProcess(["-c", "\(line) "], executable: "/bin/sh", environment: path, directory: directory)
        #expect(await shell.waitForExit() == 0)
        let answer = try JSONValue.parse(shell.printed.utf8)
        #expect(answer["idToken"] != nil)
        #expect(await process.terminate() == 0)
        let mode = try FileManager.default.attributesOfItem(atPath: directory + "/postern.sqlite.masterkey")
        #expect(mode[.posixPermissions] as? Int == 0o600)
    }

    @Test("keeps nothing where it is told to be ephemeral, which is for development only")
    func ephemeral() async throws {
        let directory = try await makeTemporaryDirectory()
        let variables = environment(directory)
        let process = try ServerProcess(["serve", "--ephemeral"], environment: variables, directory: directory)
        let client = TestClient(try await process.waitUntilReady())
        #expect(try await client.post("/v1/accounts:signUp?key=k", [:]).status == 200)
        #expect(await process.terminate() == 0)
        #expect(!FileManager.default.fileExists(atPath: directory + "/data"))
        var production = variables.merging([
            "POSTERN_MODE": "production", "POSTERN_PROJECT_ID": "p", "POSTERN_PROJECT_API_KEYS": "k",
            "POSTERN_SECRETS_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
        ]) { $1 }
        production["POSTERN_DEVELOPMENT_SIGN_TOKENS"] = nil
        let (code, output) = try await ServerProcess(
            ["serve", "--ephemeral"],
            environment: production,
            directory: directory
        ).waitForOutput()
        #expect(code == 1)
        #expect(output.contains("--ephemeral is for development mode"))
    }
}
