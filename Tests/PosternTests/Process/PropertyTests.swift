import Foundation
import Project
import TestKit
import Testing

@Suite("Requests made up from the API's description", .timeLimit(.minutes(15)))
struct PropertyTests {
    /// The kind of caller that schemathesis uses.
    enum Caller: CaseIterable {
        case app, administrator
    }

    private static let adminToken = String(repeating: "a", count: 40)
    private static let variables = [
        "POSTERN_MODE": "production", "POSTERN_SERVER_PORT": "0", "POSTERN_DATABASE_URL": "sqlite:p.sqlite",
        "POSTERN_LOG_LEVEL": "error", "POSTERN_PROJECT_ID": "shop", "POSTERN_PROJECT_API_KEYS": "k",
        "POSTERN_ADMIN_TOKEN": adminToken,
        "POSTERN_SECRETS_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
        "POSTERN_PASSWORDS_ARGON2_MEMORY_KIB": "8192", "POSTERN_PASSWORDS_ARGON2_ITERATIONS": "1",
    ]

    /// The API's description without bounds. Values at each bound take hours, and `BoundsTests` sends values beyond them.
    private static func description(at url: String) async throws -> String {
        func unbounded(_ value: JSONValue) -> JSONValue {
            switch value {
            case .object(let members):
                .object(members.filter { !["maxLength", "maxItems"].contains($0.key) }.mapValues(unbounded))
            case .array(let elements): .array(elements.map(unbounded))
            default: value
            }
        }
        return unbounded(try await TestClient(url).get("/openapi.json").json).text
    }

    @Test("never fail the server", arguments: Caller.allCases)
    func schemathesis(caller: Caller) async throws {
        let python = try PythonTools.program("python")
        let program = try PythonTools.program("schemathesis")
        try await withTemporaryDirectory { directory in
            let server = try ServerProcess(["serve"], environment: Self.variables, directory: directory)
            let url = try await server.waitUntilReady()
            try await Self.description(at: url).write(toFile: directory + "/openapi.json", atomically: true, encoding: .utf8)
            let credentials = caller == .administrator ? ["--header", "Authorization: Bearer \(Self.adminToken)"] : []
            let run = try ServerProcess(
                [
                    program, "--config-file", PythonTools.source("schemathesis.toml"), "run", "openapi.json", "--url", url,
                    "--checks", "not_a_server_error", "--continue-on-failure", "--phases", "coverage,fuzzing",
                    "--max-examples", "5", "--seed", "1", "--request-timeout", "600",
                    // One worker, because Python 3.11 cannot parse in two threads at once.
                    "--workers", "1", "--warnings", "off",
                    "--no-color",
                    // These paths are other names of the same operations.
                    "--exclude-path-regex", #"^/(identitytoolkit|securetoken|www)\.googleapis\.com/|^/identitytoolkit/v3/"#,
                ] + credentials,
                executable: python,
                environment: ["PYTHONIOENCODING": "utf-8"],
                directory: directory
            )
            let (code, report) = await run.waitForOutput()
            #expect(code == 0, "\(report.suffix(8000))")
            #expect(report.contains(/Operations: +[0-9]{3} selected/), "\(report.suffix(2000))")
            #expect(await server.terminate() == 0)
        }
    }
}
