import Foundation
import Project
import TestKit
import Testing

/// Runs the tests in `Tests/Python` against the built server. `./.ci/python` installs their dependencies, and `make test` calls
/// it.
@Suite("The official Admin SDK for Python", .teardown, .timeLimit(.minutes(15)))
struct AdminSDKTests {
    /// How the SDK reaches the server, see `Tests/Python/admin_sdk.py`.
    enum Way: String, CaseIterable {
        case key, `private`, development
    }

    private func environment(_ way: Way) -> [String: String] {
        var variables = [
            "POSTERN_MODE": "development", "POSTERN_SERVER_PORT": "0", "POSTERN_DATABASE_URL": "sqlite:p.sqlite",
            "POSTERN_PROJECT_ID": "shop", "POSTERN_PROJECT_FILE": "project.yaml",
            "POSTERN_OUTBOUND_TIMEOUT_SECONDS": "120",
            "POSTERN_PASSWORDS_ARGON2_MEMORY_KIB": "8192", "POSTERN_PASSWORDS_ARGON2_ITERATIONS": "1",
            "POSTERN_SECRETS_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
        ]
        guard way != .development else { return variables }
        variables["POSTERN_MODE"] = "production"
        variables["POSTERN_PROJECT_API_KEYS"] = "k"
        // The issuer of the tests is on this machine.
        variables["POSTERN_OUTBOUND_ALLOW_PRIVATE_NETWORKS"] = "true"
        guard way == .private else { return variables }
        variables["POSTERN_SERVER_ADMIN_HOST"] = "127.0.0.1"
        variables["POSTERN_SERVER_ADMIN_PORT"] = "0"
        return variables
    }

    @Test(
        "manages users, tokens, links, providers, tenants and imports, and verifies tokens by the published keys",
        arguments: Way.allCases
    )
    func suite(way: Way) async throws {
        let python = try PythonTools.program("python")
        let provider = try await FakeIDP.start()
        let directory = try await makeTemporaryDirectory()
        let project = """
            config:
              signIn: {anonymous: {enabled: true}, email: {enabled: true}}
              emailPrivacyConfig: {enableImprovedEmailPrivacy: false}
            """
        try project.write(toFile: directory + "/project.yaml", atomically: true, encoding: .utf8)
        let variables = environment(way)
        let server = try ServerProcess(["serve"], environment: variables, directory: directory)
        let url = try await server.waitUntilReady()
        let command = try ServerProcess(
            ["service-account", "create", "sdk", "--output", "key.json"],
            environment: variables.merging(["POSTERN_SERVER_PUBLIC_URL": url]) { $1 },
            directory: directory
        )
        let (made, text) = await command.waitForOutput()
        #expect(made == 0, "\(text)")
        let line = /"message":"private listener","port":"([0-9]+)"/
        let port = way == .private ? try await server.waitUntilPrinted(line) : nil
        #expect(port != nil || server.printed.firstMatch(of: line) == nil)
        let sdk = try ServerProcess(
            ["-B", "-m", "unittest", "discover", "--start-directory", PythonTools.source()],
            executable: python,
            environment: [
                "SDK_TEST_WAY": way.rawValue, "SDK_TEST_URL": url, "SDK_TEST_ISSUER": provider.issuer("corp"),
                "SDK_TEST_KEY_FILE": directory + "/key.json",
                "SDK_TEST_EMULATOR_HOST": port.map { "127.0.0.1:\($0)" } ?? String(url.dropFirst("http://".count)),
            ],
            directory: directory
        )
        let (code, report) = await sdk.waitForOutput()
        // One issue for each failed test. unittest draws a line above each of them.
        for failure in report.components(separatedBy: String(repeating: "=", count: 70)).dropFirst() {
            Issue.record("\(way.rawValue): \(failure)")
        }
        #expect(code == 0, "\(report.suffix(2000))")
        #expect(report.contains(/Ran [0-9]{2,} tests/), "\(report.suffix(2000))")
        #expect(await server.terminate() == 0)
    }

    @Test("as it is, with Google's host names leading to the server: users, tokens real and forged, cookies, signatures")
    func hosts() async throws {
        let server = try await UserServer.start()
        let (code, report) = try await server.run(
            PythonTools.program("python"),
            ["-B", PythonTools.source("hosts_way.py")],
            ["REQUESTS_CA_BUNDLE": server.authorityFile]
        )
        #expect(code == 0, "\(report.suffix(4000))")
        #expect(report.contains(/Ran [5-9] tests/), "\(report.suffix(2000))")
    }
}
