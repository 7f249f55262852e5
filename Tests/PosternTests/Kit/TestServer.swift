import Accounts
import Foundation
import HTTPAPI
import Logging
import Project
import ServiceLifecycle
import Settings
import Storage
import TestKit
import Testing
import Tokens

@testable import Server

/// The engine of a server's store.
enum Engine: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case sqlite
    case postgreSQL

    var testDescription: String { rawValue }
}

/// A whole server in the test's process: real settings, store, listener and outgoing HTTP, with a clock that the test moves.
struct TestServer: Sendable {
    let core: Core
    let clock: TestClock
    let log: LogCapture
    let provider: FakeIDP
    let client: TestClient
    let port: Int
    /// The time limits of outgoing calls.
    let outgoing: OutgoingPatience
    /// The client of the private listener; `nil` when the settings have none.
    let privateClient: TestClient?
    let privatePort: Int?

    /// A machine that runs other tests is slow, so that no store and no peer may be given up.
    static let patience = Duration.seconds(600)

    static let apiKey = "test-key"
    static let adminToken = "an-admin-token-of-more-than-32-characters"

    /// The settings of a private listener beside the public one.
    static let privateListener = ["POSTERN_SERVER_ADMIN_HOST": "127.0.0.1", "POSTERN_SERVER_ADMIN_PORT": "0"]

    static let appleClient = "com.example.app"
    static let googleClient = "google-client"
    static let oidcClient = "oidc-client"

    /// Starts a server and an identity provider, which end with the test.
    ///
    /// - Parameters:
    ///   - mode: The mode. Production signs tokens and verifies everything.
    ///   - environment: `POSTERN_*` variables besides those of every test server.
    ///   - project: The project file, instead of the usual three providers.
    ///   - engine: The engine of the store.
    ///   - gapiScript: The substitute for Google's script.
    static func start(
        mode: ServerMode = .production,
        environment: [String: String] = [:],
        project: ((FakeIDP) -> String)? = nil,
        on engine: Engine = .sqlite,
        gapiScript: String? = nil
    ) async throws -> TestServer {
        var environment = environment
        if engine == .postgreSQL {
            let postgreSQL = try await ThrowawayPostgreSQL.shared()
            environment["POSTERN_DATABASE_URL"] = try await postgreSQL.makeDatabase(copying: PreparedStore.database(mode))
            environment["POSTERN_DATABASE_POOL_SIZE"] = "4"
        }
        let directory = try await makeTemporaryDirectory()
        let provider = try await FakeIDP.start()
        let file = directory + "/project.yaml"
        try (project ?? usualProject)(provider).write(toFile: file, atomically: true, encoding: .utf8)
        let authorities = directory + "/game-center.pem"
        try FakeAuthority.trusted.get().pem.write(toFile: authorities, atomically: true, encoding: .utf8)
        var variables = variables(mode, directory, file, provider).merging(environment) { $1 }
        variables["POSTERN_GAME_CENTER_CA_FILE"] = environment["POSTERN_GAME_CENTER_CA_FILE"] ?? authorities
        if variables["POSTERN_OUTBOUND_ALLOW_PRIVATE_NETWORKS"] == "false" {
            variables = variables.filter { !$0.key.hasPrefix("POSTERN_ENDPOINTS_") }
        }
        if environment["POSTERN_DATABASE_URL"] == nil { try await PreparedStore.putFiles(mode, in: directory) }
        let settings = try SettingsLoader.load(file: nil, environment: variables)
        let clock = TestClock()
        let log = LogCapture()
        let outgoing = OutgoingPatience()
        let core = try await Core(settings, variables: [:], patience: patience, logger: log.logger()) {
            clock.environment(http: outgoing.around($0))
        }
        let (port, privatePort) = try await serve(core, gapiScript)
        return TestServer(
            core: core,
            clock: clock,
            log: log,
            provider: provider,
            client: TestClient("http://127.0.0.1:\(port)"),
            port: port,
            outgoing: outgoing,
            privateClient: privatePort.map { TestClient("http://127.0.0.1:\($0)") },
            privatePort: privatePort
        )
    }

    /// The address of an empty store for several servers, which ends with the test.
    static func makeSharedStore(on engine: Engine) async throws -> String {
        switch engine {
        case .sqlite: try await "sqlite:\(makeTemporaryDirectory())/shared.sqlite"
        case .postgreSQL: try await ThrowawayPostgreSQL.shared().makeDatabase()
        }
    }

    /// Opens the listeners, and gives the port of the public one and of the private one, if there is one.
    private static func serve(_ core: Core, _ gapiScript: String?) async throws -> (Int, Int?) {
        let (opened, announced) = AsyncStream.makeStream(of: Int.self)
        var listener = Listener(core: core)
        if let gapiScript { listener.gapiScript = gapiScript }
        let sockets = HeldSockets()
        do {
            try await sockets.bind(core.settings, core.certificate, core.logger)
        } catch {
            await sockets.close()
            await core.shutdown()
            throw error
        }
        let listeners = sockets.prepare(listener) { announced.yield($0.port) }
        let group = ServiceGroup(
            configuration: .init(
                services: [core.telemetry].compactMap { $0 } + core.assembly.senders + listeners,
                logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }
            )
        )
        let services = Task {
            defer { announced.finish() }
            try await group.run()
        }
        try Teardown.add {
            await group.triggerGracefulShutdown()
            let outcome = await services.result
            await core.shutdown()
            try outcome.get()
        }
        // They answer 503 until they are open.
        var ports = opened.makeAsyncIterator()
        for _ in listeners { _ = try #require(await ports.next()) }
        return (try #require(sockets.main).port, sockets.admin?.port)
    }

    private static func variables(
        _ mode: ServerMode,
        _ directory: String,
        _ file: String,
        _ provider: FakeIDP
    ) -> [String: String] {
        var variables = storeVariables(mode, "sqlite:\(directory)/\(PreparedStore.file)")
        variables.merge(cheapPasswords) { $1 }
        variables.merge([
            "POSTERN_SERVER_PORT": "0", "POSTERN_ENDPOINTS_GITHUB": provider.issuer("github"), "POSTERN_PROJECT_FILE": file,
            "POSTERN_OUTBOUND_ALLOW_PRIVATE_NETWORKS": "true",
            // Hundreds of servers may be open at once, and each connection needs descriptors.
            "POSTERN_DATABASE_POOL_SIZE": "2",
            "POSTERN_ENDPOINTS_APPLE": provider.issuer("apple"), "POSTERN_ENDPOINTS_GOOGLE": provider.issuer("google"),
            "POSTERN_ADMIN_TOKEN": adminToken,
        ]) { $1 }
        for (name, issuer) in [
            ("FACEBOOK", "facebook"), ("FACEBOOK_DIALOG", "facebook-web"), ("GITHUB_API", "github-api"),
            ("MICROSOFT", "microsoft"), ("MICROSOFT_GRAPH", "graph"), ("YAHOO", "yahoo"), ("LINKEDIN", "linkedin"),
            ("TWITTER", "twitter"), ("DISCORD", "discord"),
            ("PLAY_GAMES", "playgames"), ("GAME_CENTER", "gamecenter"),
        ] { variables["POSTERN_ENDPOINTS_\(name)"] = provider.issuer(issuer) }
        return variables
    }

    /// What a server needs to know to open its store.
    static func storeVariables(_ mode: ServerMode, _ database: String) -> [String: String] {
        var variables = [
            "POSTERN_MODE": mode.rawValue, "POSTERN_PROJECT_ID": "demo-test", "POSTERN_DATABASE_URL": database,
        ]
        if mode == .production {
            variables["POSTERN_PROJECT_API_KEYS"] = apiKey
            variables["POSTERN_SECRETS_MASTER_KEY"] = Data(repeating: 7, count: 32).base64EncodedString()
        }
        return variables
    }

    private static func usualProject(_ provider: FakeIDP) -> String {
        """
        config: {signIn: {anonymous: {enabled: true}}}
        defaultSupportedIdpConfigs:
          apple.com: {enabled: true, clientId: com.example.web, appleSignInConfig: {bundleIds: [\(appleClient), com.example.two]}}
          google.com: {enabled: true, clientId: \(googleClient), additionalClientIds: [google-ios]}
        oauthIdpConfigs:
          oidc.test: {enabled: true, clientId: \(oidcClient), issuer: "\(provider.issuer("oidc"))"}
          oidc.other: {enabled: true, clientId: other-client, issuer: "\(provider.issuer("other"))"}
          oidc.off: {enabled: false, clientId: off, issuer: "\(provider.issuer("off"))"}
          oidc.empty: {enabled: true, issuer: "\(provider.issuer("empty"))"}
        tenants:
          acme:
            enableAnonymousUser: true
            oauthIdpConfigs:
              oidc.test: {enabled: true, clientId: acme-client, issuer: "\(provider.issuer("acme"))"}
          closed: {disableAuth: true}
        """
    }
}
