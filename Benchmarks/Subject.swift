import Crypto
import Foundation
import Project
import TestKit

/// The server under load: a release `postern serve`, in production mode with its own store and a loopback provider that it trusts, or
/// in development mode in memory.
struct Subject: Sendable {
    /// How the server runs.
    enum Mode: String, Sendable {
        case production, development
    }

    static let project = Scope(projectID: "bench", tenantID: nil)
    static let providerID = "oidc.bench"
    static let clientID = "bench-client"

    let directory: String
    let provider: FakeIDP
    let executable: String
    let mode: Mode
    private let store: String
    private let name: String
    private let masterKey = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0).base64EncodedString() }

    /// - Parameters:
    ///   - directory: The directory for the server's files.
    ///   - provider: The identity provider.
    ///   - executable: The server's binary.
    ///   - mode: How it runs.
    ///   - name: A name for its files.
    ///   - store: `database.url`; by default an SQLite file at ``storePath``.
    init(directory: String, provider: FakeIDP, executable: String, mode: Mode, name: String, store: String?) {
        self.directory = directory
        self.provider = provider
        self.executable = executable
        self.mode = mode
        self.name = name
        self.store = store ?? "sqlite:\(directory)/\(name).sqlite"
    }

    /// The SQLite store's file.
    var storePath: String { "\(directory)/\(name).sqlite" }

    /// The value of `key`; development takes any.
    var apiKey: String { mode == .production ? "bench-key" : "fake-api-key" }

    /// The path of an endpoint, as the SDKs of each mode call it: the emulator's has the name of Google's host in front.
    ///
    /// - Parameter endpoint: The endpoint, such as `accounts:lookup`.
    /// - Returns: The path with the key.
    func path(_ endpoint: String) -> String {
        let host = endpoint == "token" ? "/securetoken.googleapis.com" : "/identitytoolkit.googleapis.com"
        return "\(mode == .production ? "" : host)/v1/\(endpoint)?key=\(apiKey)"
    }

    /// Starts the server, with further environment if asked.
    func start(_ extra: [String: String] = [:]) async throws -> RunningServer {
        let clock = ContinuousClock()
        let start = clock.now
        let process = try ServerProcess(
            mode == .production ? ["serve"] : ["serve", "--ephemeral"],
            executable: executable,
            environment: try (mode == .production ? production() : development).merging(extra) { $1 },
            directory: directory
        )
        let base = try await process.waitUntilReady()
        return RunningServer(process: process, base: base, startTime: clock.now - start)
    }

    // No project file and no provider, as when the emulator is started.
    private var development: [String: String] {
        [
            "POSTERN_MODE": "development",
            "POSTERN_SERVER_PORT": "0",
            "POSTERN_PROJECT_ID": Self.project.projectID,
            "POSTERN_PROJECT_FILE": "",
            "POSTERN_LOG_LEVEL": "warning",
        ]
    }

    private func production() throws -> [String: String] {
        let projectFile = "\(directory)/\(name).yaml"
        let declaration = """
            config: {signIn: {email: {enabled: true}, anonymous: {enabled: true}}}
            oauthIdpConfigs:
              \(Self.providerID):
                enabled: true
                clientId: \(Self.clientID)
                issuer: "\(provider.issuer("oidc"))"
            """
        try declaration.write(toFile: projectFile, atomically: false, encoding: .utf8)
        return [
            "POSTERN_MODE": "production",
            "POSTERN_SERVER_HOST": "127.0.0.1",
            "POSTERN_SERVER_PORT": "0",
            "POSTERN_PROJECT_ID": Self.project.projectID,
            "POSTERN_PROJECT_API_KEYS": apiKey,
            "POSTERN_PROJECT_FILE": projectFile,
            "POSTERN_SECRETS_MASTER_KEY": masterKey,
            "POSTERN_DATABASE_URL": store,
            "POSTERN_DATABASE_POOL_SIZE": "32",
            "POSTERN_OUTBOUND_ALLOW_PRIVATE_NETWORKS": "true",
            "POSTERN_LOG_LEVEL": "warning",
            // The whole load comes from one address.
            "POSTERN_LIMITS_SIGN_UP_PER_ADDRESS_PER_HOUR": "1000000000",
        ]
    }
}
