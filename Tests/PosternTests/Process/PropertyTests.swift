import Foundation
import Project
import TestKit
import Testing

@Suite("Requests made up from the API's description", .teardown, .timeLimit(.minutes(15)))
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

    /// The API's description without bounds: values at each of them take hours, and `BoundsTests` sends what goes beyond.
    private static func description(at url: String) async throws -> JSONValue {
        func unbounded(_ value: JSONValue) -> JSONValue {
            switch value {
            case .object(let members):
                .object(members.filter { !["maxLength", "maxItems"].contains($0.key) }.mapValues(unbounded))
            case .array(let elements): .array(elements.map(unbounded))
            default: value
            }
        }
        return unbounded(try await TestClient(url).get("/openapi.json").json)
    }

    // Other names of the same operations.
    private static let aliases = #"^/(identitytoolkit|securetoken|www)\.googleapis\.com/|^/identitytoolkit/v3/"#

    /// What is tried with a few made-up requests only: it takes most of the time, and shows nothing more.
    private static func lesser(for caller: Caller) -> String {
        switch caller {
        // Refused before a body is read.
        case .app: "^/(admin/)?v[12]/projects/"
        // Other names of what is under /v2/.
        case .administrator: "^/admin/"
        }
    }

    private static func options(_ caller: Caller, isLesser: Bool) -> [String] {
        let lesser = lesser(for: caller)
        return isLesser
            ? ["--phases", "fuzzing", "--max-examples", "2", "--include-path-regex", lesser]
            : ["--phases", "coverage,fuzzing", "--max-examples", "5", "--exclude-path-regex", "\(aliases)|\(lesser)"]
    }

    @Test("never fail the server", arguments: Caller.allCases)
    func schemathesis(caller: Caller) async throws {
        let python = try PythonTools.program("python")
        let program = try PythonTools.program("schemathesis")
        let directory = try await makeTemporaryDirectory()
        let server = try ServerProcess(["serve"], environment: Self.variables, directory: directory)
        let url = try await server.waitUntilReady()
        let description = try await Self.description(at: url)
        try description.text.write(toFile: directory + "/openapi.json", atomically: true, encoding: .utf8)
        let credentials = caller == .administrator ? ["--header", "Authorization: Bearer \(Self.adminToken)"] : []
        var selected = 0
        for isLesser in [false, true] {
            let run = try ServerProcess(
                [
                    program, "--config-file", PythonTools.source("schemathesis.toml"), "run", "openapi.json", "--url", url,
                    "--checks", "not_a_server_error", "--continue-on-failure", "--seed", "1", "--request-timeout", "600",
                    // One: Python 3.11 cannot parse in two threads at once.
                    "--workers", "1", "--warnings", "off", "--no-color",
                ] + Self.options(caller, isLesser: isLesser) + credentials,
                executable: python,
                environment: ["PYTHONIOENCODING": "utf-8"],
                directory: directory
            )
            let (code, report) = await run.waitForOutput()
            #expect(code == 0, "\(report.suffix(8000))")
            let operations = try #require(report.firstMatch(of: /Operations: +([0-9]+) selected/), "\(report.suffix(2000))")
            selected += Int(operations.1) ?? 0
        }
        let aliases = try Regex(Self.aliases)
        let operations = (description["paths"]?.object ?? [:]).filter { $0.key.text.firstMatch(of: aliases) == nil }
        #expect(selected == operations.map { $0.value.object?.count ?? 0 }.reduce(0, +))
        #expect(await server.terminate() == 0)
    }
}
