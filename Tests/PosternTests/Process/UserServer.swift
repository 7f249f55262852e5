import Foundation
import Project
import TestKit
import Testing

/// The built server in production mode behind TLS of a private authority, with a service account's key file, for scripts of users.
struct UserServer {
    private static let googleHosts =
        ["identitytoolkit", "securetoken", "www", "oauth2", "iamcredentials"].map { "\($0).googleapis.com" }
        + ["securetoken.google.com", "accounts.google.com"]

    private let directory: String
    private let variables: [String: String]

    /// The certificate of the authority that signed the server's, PEM.
    var authorityFile: String { variables["POSTERN_TEST_CA"] ?? "" }

    /// Starts such a server, which ends with the test.
    static func start() async throws -> UserServer {
        let directory = try await makeTemporaryDirectory()
        let files = try TestAuthority(names: ["localhost"] + googleHosts, in: directory)
        try FileManager.default.createDirectory(atPath: directory + "/scratch", withIntermediateDirectories: false)
        let project = """
            config:
              signIn: {anonymous: {enabled: true}, email: {enabled: true, passwordRequired: true}}
              emailPrivacyConfig: {enableImprovedEmailPrivacy: false}
              authorizedDomains: [localhost, 127.0.0.1]
            """
        try project.write(toFile: directory + "/project.yaml", atomically: true, encoding: .utf8)
        // It keeps the port free until the server takes it.
        let port = try RefusingPort()
        let url = "https://localhost:\(port.number)"
        let settings = [
            "POSTERN_MODE": "production", "POSTERN_SERVER_PORT": "\(port.number)", "POSTERN_SERVER_PUBLIC_URL": url,
            "POSTERN_SERVER_TLS_CERTIFICATE_FILE": files.certificateFile,
            "POSTERN_SERVER_TLS_PRIVATE_KEY_FILE": files.keyFile, "POSTERN_DATABASE_URL": "sqlite:p.sqlite",
            "POSTERN_PROJECT_ID": "demo-clients", "POSTERN_PROJECT_API_KEYS": "test-api-key",
            "POSTERN_PROJECT_FILE": "project.yaml",
            "POSTERN_SECRETS_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
        ].merging(TestServer.cheapPasswords) { $1 }
        let server = try ServerProcess(["serve"], environment: settings, directory: directory)
        _ = try await server.waitUntilPrinted(/listening on (127\.0\.0\.1:[0-9]+)/)
        func command(_ arguments: [String]) async throws -> String {
            let process = try ServerProcess(arguments, environment: settings, directory: directory)
            let (code, text) = await process.waitForOutput()
            try #require(code == 0, "\(text)")
            return text
        }
        let keyFile = directory + "/key.json"
        _ = try await command(["service-account", "create", "clients", "--output", keyFile])
        _ = try await command(["service-account", "create", "minter", "--held"])
        let made = try await command(["admin-token", "create", "clients", "--json"])
        let token = try JSONValue.parse(try #require(made.split(separator: "\n").last).utf8)["token"]?.string
        let variables = [
            "POSTERN_TEST_URL": url, "POSTERN_TEST_CA": files.authorityFile, "POSTERN_TEST_PROJECT_ID": "demo-clients",
            "POSTERN_TEST_API_KEY": "test-api-key", "POSTERN_TEST_KEY_FILE": keyFile,
            "POSTERN_TEST_HELD_ACCOUNT": "minter@demo-clients.iam.gserviceaccount.com",
            "POSTERN_TEST_ADMIN_TOKEN": try #require(token), "POSTERN_TEST_BINARY": ServerProcess.path(of: "postern"),
            "POSTERN_TEST_SWIFT_VERIFIER": ServerProcess.path(of: "verify-id-tokens"),
            "POSTERN_TEST_PYTHON": try PythonTools.program("python"), "POSTERN_TEST_SCRATCH": directory + "/scratch",
        ]
        try Teardown.add { #expect(await server.terminate() == 0) }
        return UserServer(directory: directory, variables: variables)
    }

    /// Runs a script with the variables that name the server, and no others but those every shell has.
    ///
    /// - Parameters:
    ///   - script: Its full path.
    ///   - arguments: Its arguments.
    ///   - more: Variables besides.
    /// - Returns: Its exit code and all that it printed.
    func run(_ script: String, _ arguments: [String] = [], _ more: [String: String] = [:]) async throws -> (
        code: Int32, text: String
    ) {
        let own = ProcessInfo.processInfo.environment
        // Toolchains are found by them. Nothing else of this process may decide how a script ends.
        let inherited = own.filter { ["PATH", "HOME", "USER", "LANG", "JAVA_HOME", "TMPDIR"].contains($0.key) }
        let all = inherited.merging(variables) { $1 }.merging(more) { $1 }
        return try await ServerProcess(arguments, executable: script, environment: all, directory: directory).waitForOutput()
    }
}
