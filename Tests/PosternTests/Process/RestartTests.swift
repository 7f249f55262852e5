import Foundation
import Project
import TestKit
import Testing

@Suite("What a server remembers after it was killed", .teardown, .timeLimit(.minutes(15)))
struct RestartTests {
    private func environment(_ directory: String) -> [String: String] {
        [
            "POSTERN_MODE": "production", "POSTERN_SERVER_PORT": "0", "POSTERN_PROJECT_ID": "p",
            "POSTERN_PROJECT_FILE": "project.yaml", "POSTERN_SERVER_PUBLIC_URL": "", "POSTERN_PROJECT_API_KEYS": "k",
            "POSTERN_ADMIN_TOKEN": String(repeating: "t", count: 32),
            "POSTERN_DATABASE_URL": "sqlite:\(directory)/postern.sqlite",
            "POSTERN_SECRETS_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
        ]
    }

    @Test("revoked sessions stay revoked, and the others live on (SES-11)")
    func revocation() async throws {
        let directory = try await makeTemporaryDirectory()
        try "config: {signIn: {anonymous: {enabled: true}}}".write(
            toFile: directory + "/project.yaml",
            atomically: true,
            encoding: .utf8
        )
        let first = try ServerProcess(["serve"], environment: environment(directory), directory: directory)
        let before = TestClient(try await first.waitUntilReady())
        let revoked = try await before.post("/v1/accounts:signUp?key=k", [:])
        let kept = try await before.post("/v1/accounts:signUp?key=k", [:])
        let localID = try #require(revoked["localId"]?.string)
        let answer = try await before.post(
            "/v1/projects/p/accounts:update",
            ["localId": .string(localID), "validSince": .string(String(Int(Date().timeIntervalSince1970)))],
            headers: [("Authorization", "Bearer " + String(repeating: "t", count: 32))]
        )
        #expect(answer.status == 200)
        #expect(await first.kill() == SIGKILL)
        let second = try ServerProcess(["serve"], environment: environment(directory), directory: directory)
        let after = TestClient(try await second.waitUntilReady())
        for (session, isRevoked) in [(revoked, true), (kept, false)] {
            let refresh = try await after.post(
                "/v1/token?key=k",
                ["grant_type": "refresh_token", "refresh_token": session["refreshToken"] ?? .null]
            )
            #expect(refresh.errorMessage == (isRevoked ? "TOKEN_EXPIRED" : nil))
            let lookup = try await after.post("/v1/accounts:lookup?key=k", ["idToken": session["idToken"] ?? .null])
            #expect(lookup.errorMessage == (isRevoked ? "TOKEN_EXPIRED" : nil))
        }
        #expect(await second.terminate() == 0)
    }
}
