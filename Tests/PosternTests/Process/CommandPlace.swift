import Foundation
import Project
import TestKit
import Testing

/// A folder with a project file and a store, in which commands run as an operator runs them.
struct CommandPlace {
    let directory: String
    let variables: [String: String]

    /// A folder with a project file of this text, which goes with the test; `more` are variables besides the usual ones.
    static func make(project: String, _ more: [String: String] = [:]) async throws -> CommandPlace {
        let directory = try await makeTemporaryDirectory()
        let usual = [
            "POSTERN_MODE": "production", "POSTERN_SERVER_PORT": "0", "POSTERN_DATABASE_URL": "sqlite:p.sqlite",
            "POSTERN_LOG_LEVEL": "error", "POSTERN_PROJECT_ID": "shop", "POSTERN_PROJECT_API_KEYS": "k",
            "POSTERN_SECRETS_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
            "POSTERN_PROJECT_FILE": "project.yaml", "POSTERN_OUTBOUND_TIMEOUT_SECONDS": "120",
        ]
        let variables = usual.merging(TestServer.cheapPasswords) { $1 }.merging(more) { $1 }
        let place = CommandPlace(directory: directory, variables: variables)
        try place.write(project, to: "project.yaml")
        return place
    }

    func run(_ arguments: [String]) async throws -> (code: Int32, text: String) {
        try await ServerProcess(arguments, environment: variables, directory: directory).waitForOutput()
    }

    /// Runs a command with a text on standard input.
    func run(_ arguments: [String], input: String) async throws -> (code: Int32, text: String) {
        let command = #"printf %s "$POSTERN_TEST_INPUT" | "$0" "$@""#
        return try await shell(command, arguments, ["POSTERN_TEST_INPUT": input])
    }

    /// Runs a command at a terminal of its own (`script`, of Debian's bsdutils), at which a text is typed.
    func runAtTerminal(
        _ arguments: [String],
        typing input: String = "",
        _ more: [String: String] = [:]
    ) async throws -> (code: Int32, text: String) {
        let words = ([ServerProcess.path(of: "postern")] + arguments).map { "'\($0)'" }.joined(separator: " ")
        let command = #"printf %s "$POSTERN_TEST_INPUT" | script --quiet --return --command "$1" /dev/null"#
        return try await shell(command, [words], ["POSTERN_TEST_INPUT": input, "TERM": "xterm"].merging(more) { $1 })
    }

    private func shell(
        _ command: String,
        _ arguments: [String],
        _ more: [String: String]
    ) async throws -> (code: Int32, text: String) {
        try await ServerProcess(
            ["-c", command, ServerProcess.path(of: "postern")] + arguments,
            executable: "/bin/sh",
            environment: variables.merging(["PATH": "/usr/bin:/bin"]) { $1 }.merging(more) { $1 },
            directory: directory
        ).waitForOutput()
    }

    /// Runs a command that prints JSON and must end with a given code.
    func json(_ arguments: [String], code: Int32 = 0) async throws -> JSONValue {
        let (actual, text) = try await run(arguments + ["--json"])
        #expect(actual == code, "\(arguments): \(text)")
        return try JSONValue.parse(try #require(text.split(separator: "\n").last).utf8)
    }

    /// Runs `body` beside a server on the same store.
    func serving(_ body: (TestClient) async throws -> Void) async throws {
        let server = try ServerProcess(["serve"], environment: variables, directory: directory)
        try await body(TestClient(try await server.waitUntilReady()))
        #expect(await server.terminate() == 0)
    }

    func write(_ text: String, to name: String) throws {
        try text.write(toFile: directory + "/" + name, atomically: true, encoding: .utf8)
    }

    func read(_ name: String) throws -> String { try String(contentsOfFile: directory + "/" + name, encoding: .utf8) }
}
