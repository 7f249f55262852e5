import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import postern

@Suite("The server as a process", .serialized)
struct ServerProcessTests {
    private func environment(_ directory: String, port: Int = 0) -> [String: String] {
        [
            "POSTERN_MODE": "development", "POSTERN_SERVER_PORT": String(port), "POSTERN_PROJECT_FILE": "",
            "POSTERN_DATABASE_URL": "sqlite:\(directory)/data/postern.sqlite", "POSTERN_DEVELOPMENT_SIGN_TOKENS": "true",
        ]
    }

    private func signUp(_ client: TestClient) async throws -> TestClient.Answer {
        try await client.post("/v1/accounts:signUp?key=k", [:])
    }

    @Test("loses nothing that it acknowledged when it is killed under load", .timeLimit(.minutes(5)))
    func crash() async throws {
        try await withTemporaryDirectory { directory in
            for _ in 0..<3 {
                let process = try ServerProcess(["serve"], environment: environment(directory), directory: directory)
                let client = TestClient(try await process.waitUntilReady(), timeoutSeconds: 2)
                let acknowledged = await withTaskGroup(of: [(String, String)].self) { tasks in
                    for _ in 0..<16 {
                        tasks.addTask {
                            var own: [(String, String)] = []
                            while own.count < 1000, let answer = try? await signUp(client), answer.status == 200 {
                                own.append((answer["localId"]?.string ?? "", answer["refreshToken"]?.string ?? ""))
                            }
                            return own
                        }
                    }
                    tasks.addTask {
                        try? await Task.sleep(for: .milliseconds(Int.random(in: 200...600)))
                        #expect(await process.kill() == SIGKILL)
                        return []
                    }
                    return await tasks.reduce(into: []) { $0 += $1 }
                }
                #expect(acknowledged.count > 16)
                try await verify(acknowledged, directory)
            }
        }
    }

    private func verify(_ acknowledged: [(localID: String, refreshToken: String)], _ directory: String) async throws {
        let database = try SQLiteDatabase(.file(directory + "/data/postern.sqlite"), readers: 2, logger: LogCapture().logger())
        let scope = Scope(projectID: "demo-postern")
        try await database.read { transaction in
            #expect(try transaction.query("PRAGMA integrity_check").count == 1)
            #expect(try transaction.query("PRAGMA integrity_check")[0].text("integrity_check") == "ok")
            for (localID, refreshToken) in acknowledged {
                #expect(try transaction.account(scope, localID: localID) != nil)
                #expect(try transaction.session(tokenHash: sha256(refreshToken.utf8))?.localID == localID)
            }
            let halves = try transaction.query(
                "SELECT local_id FROM accounts WHERE local_id NOT IN (SELECT local_id FROM sessions)"
            )
            #expect(halves.isEmpty)
        }
        try await database.close()
    }

    @Test("finishes the requests in flight when it is asked to stop, and ends with code 0")
    func gracefulShutdown() async throws {
        try await FakeIDP.running { provider in
            try await withTemporaryDirectory { directory in
                let project = """
                    oauthIdpConfigs: {oidc.slow: {enabled: true, clientId: c, issuer: "\(provider.issuer("slow"))"}}
                    """
                try project.write(toFile: directory + "/project.yaml", atomically: true, encoding: .utf8)
                let variables = environment(directory).merging(["POSTERN_PROJECT_FILE": "project.yaml"]) { $1 }
                let process = try ServerProcess(["serve"], environment: variables, directory: directory)
                let client = TestClient(try await process.waitUntilReady())
                provider.setFault(.delay(.milliseconds(1000)), at: "/slow/jwks")
                let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
                let token = try provider.token(provider.claims(issuer: "slow", audience: "c", now: now))
                let form = TestClient.encode([("providerId", "oidc.slow"), ("id_token", token)])
                async let answer = client.post(
                    "/v1/accounts:signInWithIdp?key=k",
                    ["requestUri": "http://localhost", "postBody": .string(form)]
                )
                while provider.count("/slow/jwks") == 0 { try await Task.sleep(for: .milliseconds(10)) }
                let code = await process.terminate()
                #expect(try await answer.status == 200)
                #expect(code == 0)
                #expect(process.printed.contains("stopped"))
            }
        }
    }

    @Test("prints a curl line that works as pasted")
    func banner() async throws {
        try await withTemporaryDirectory { directory in
            let process = try ServerProcess(["serve"], environment: environment(directory), directory: directory)
            _ = try await process.waitUntilReady()
            let line = try #require(process.printed.split(separator: "\n").first { $0.contains("curl ") })
            let shell = Process()
            shell.executableURL = URL(fileURLWithPath: "/bin/sh")
            shell.arguments = ["-c", String(line)]
            let pipe = Pipe()
            shell.standardOutput = pipe
            try shell.run()
            let answer = try JSONValue.parse(pipe.fileHandleForReading.readDataToEndOfFile())
            #expect(answer["idToken"] != nil)
            #expect(await process.terminate() == 0)
            let mode = try FileManager.default.attributesOfItem(atPath: directory + "/data/postern.sqlite.masterkey")
            #expect(mode[.posixPermissions] as? Int == 0o600)
        }
    }
}
