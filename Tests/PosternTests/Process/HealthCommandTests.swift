import Foundation
import Project
import TestKit
import Testing

@Suite("postern health", .teardown, .timeLimit(.minutes(15)))
struct HealthCommandTests {
    @Test("says whether the server of these settings can serve, with TLS as without", arguments: [false, true])
    func health(hasTLS: Bool) async throws {
        let directory = try await makeTemporaryDirectory()
        let port = try RefusingPort()
        var settings = [
            "POSTERN_MODE": "production", "POSTERN_SERVER_PORT": "\(port.number)", "POSTERN_SERVER_HOST": "0.0.0.0",
            "POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com", "POSTERN_DATABASE_URL": "sqlite:p.sqlite",
            "POSTERN_PROJECT_ID": "shop", "POSTERN_PROJECT_API_KEYS": "k",
            "POSTERN_SECRETS_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
        ]
        if hasTLS {
            // Its authority is trusted by nobody here.
            let files = try TestAuthority(names: ["auth.example.com"], in: directory)
            settings["POSTERN_SERVER_TLS_CERTIFICATE_FILE"] = files.certificateFile
            settings["POSTERN_SERVER_TLS_PRIVATE_KEY_FILE"] = files.keyFile
        }
        func ask() async throws -> (Int32, String) {
            try await ServerProcess(["health"], environment: settings, directory: directory).waitForOutput()
        }
        let (before, complaint) = try await ask()
        #expect(before == 1)
        #expect(complaint.contains("did not answer"), "\(complaint)")
        let server = try ServerProcess(["serve"], environment: settings, directory: directory)
        _ = try await server.waitUntilPrinted(/listening on ([^ ]+)/)
        let (during, text) = try await ask()
        #expect(during == 0, "\(text)")
        #expect(await server.terminate() == 0)
    }
}
